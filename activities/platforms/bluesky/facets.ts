// Links, mentions and hashtags in a Bluesky post, as ranges of UTF-8 bytes.
import { isValidDid, isValidUri } from '@atproto/syntax';
import { parse } from 'tldts';
import { countGraphemes } from '../../../schema/platforms/options/limits.ts';

const type = 'app.bsky.richtext.facet';

type Feature =
  | { $type: `${typeof type}#mention`; did: string }
  | { $type: `${typeof type}#link`; uri: string }
  | { $type: `${typeof type}#tag`; tag: string };

export interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: Feature[];
}

/** The DID of a handle; null: nobody has the handle. */
export type ResolveHandle = (handle: string) => Promise<string | null>;

/**
 * Finds the same facets as Bluesky's own app. Mentions of unknown handles and links that a PDS would refuse
 * stay text.
 */
export async function findFacets(text: string, resolve: ResolveHandle): Promise<Facet[]> {
  const found = [...findParts(text)];
  const handles = new Set(found.flatMap(({ mentioned }) => mentioned ?? []));
  const dids = new Map(
    await Promise.all([...handles].map(async (handle) => [handle, await resolve(handle)] as const)),
  );
  const bytesBefore = (index: number) => Buffer.byteLength(text.slice(0, index));
  return found
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, length, mentioned, feature }) => ({
      index: { byteStart: bytesBefore(start), byteEnd: bytesBefore(start + length) },
      features: [feature ?? { $type: `${type}#mention` as const, did: dids.get(mentioned!) ?? '' }],
    }))
    .filter(({ features }) => features.every(isAllowed));
}

/** The limits of the lexicon `app.bsky.richtext.facet`. */
function isAllowed(feature: Feature): boolean {
  if ('did' in feature) return isValidDid(feature.did);
  if ('uri' in feature) return isValidUri(feature.uri);
  return Buffer.byteLength(feature.tag) <= 640 && countGraphemes(feature.tag) <= 64;
}

interface Part {
  start: number;
  length: number;
  /** The handle of a mention. The feature of a mention needs the DID of the handle. */
  mentioned?: string;
  feature?: Feature;
}

// The expressions match as in `rich-text/util.ts` of @atproto/api 0.21, which Bluesky's app uses. The first
// group of each expression is the text before the part.
const mention = /(^|\s|\()@([a-zA-Z0-9.-]+)\b/g;
const link = /(^|\s|\()(https?:\/\/\S+|(?<domain>[a-z][a-z0-9]*(?:\.[a-z0-9]+)+)\S*)/gim;
const invisible = String.raw`\u00AD\u2060\u200A\u200B\u200C\u200D\u20e2`;
const hashtag = new RegExp(
  String.raw`(^|\s)[#＃]((?!\ufe0f)[^\s${invisible}]*[^\d\s\p{P}${invisible}]+[^\s${invisible}]*)`,
  'gu',
);
const ticker = /(^|\s|\()\$([A-Za-z][A-Za-z0-9]{0,4})(?=\s|$|[.,;:!?)"'\u2019])/gu;

function* findParts(text: string): Generator<Part> {
  const matches = function* (expression: RegExp) {
    for (const match of text.matchAll(expression)) {
      const [, before = '', part = ''] = match;
      yield { start: match.index + before.length, part, domain: match.groups?.['domain'] };
    }
  };
  for (const { start, part } of matches(mention)) {
    if (!isDomain(part) && !part.endsWith('.test')) continue;
    yield { start, length: part.length + 1, mentioned: part };
  }
  for (const { start, part, domain } of matches(link)) {
    if (!part.startsWith('http') && !(domain && isDomain(domain))) continue;
    const sentence = part.replace(/[.,;:!?]$/, '');
    const url = sentence.includes('(') ? sentence : sentence.replace(/\)$/, '');
    const uri = url.startsWith('http') ? url : `https://${url}`;
    yield { start, length: url.length, feature: { $type: `${type}#link`, uri } };
  }
  for (const { start, part } of matches(hashtag)) {
    const tag = part.replace(/\p{P}+$/u, '');
    if (tag === '') continue;
    yield { start, length: tag.length + 1, feature: { $type: `${type}#tag`, tag } };
  }
  for (const { start, part } of matches(ticker)) {
    const tag = `$${part.toUpperCase()}`;
    yield { start, length: tag.length, feature: { $type: `${type}#tag`, tag } };
  }
}

const domainRules = { allowPrivateDomains: false, validateHostname: false };

/** Bluesky links a domain only if its last part is in lower case. */
function isDomain(name: string): boolean {
  return /\.[a-z]+$/.test(name) && parse(name, domainRules).isIcann === true;
}
