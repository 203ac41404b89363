// The tables of networks in the README, in docs/networks.md and under docs/networks, made from the definitions.
import type { PlatformDefinition } from '../schema/platforms/definition.ts';
import { platformDefinitions, type PlatformName } from '../schema/platforms/index.ts';
import { toJsonSchema } from '../api/platforms/operations.ts';
import { writeTable } from './write-table.ts';

/** What a user connects with, and the server that the tests publish to. */
const readmeColumns: Record<PlatformName, [connectsWith: string, testedWith: string]> = {
  bluesky: ['Consent, password', 'Real server'],
  mastodon: ['Consent or token', 'Simulator'],
  twitter: ['Consent', 'Simulator'],
  linkedin: ['Consent or token', 'Simulator'],
  threads: ['Consent', 'Simulator ³'],
  facebook: ['Consent', 'Simulator ³'],
  instagram: ['Consent', 'Simulator ³'],
  tiktok: ['Consent', 'Simulator'],
  youtube: ['Consent', 'Simulator ³'],
  pinterest: ['Consent', 'Simulator ³'],
  telegram: ['Bot token, chat', 'Simulator'],
  discord: ['Webhook or bot', 'Simulator'],
  slack: ['Bot token, channel', 'Simulator'],
  wordpress: ['App password', 'Real server'],
  nostr: ['Private key', 'Real server'],
  sandbox: ['Any name', 'Built in'],
};

/** Real networks first. */
export function networkTable(): string {
  const isSandbox = ({ name }: PlatformDefinition) => name === 'sandbox';
  const networks = [
    ...platformDefinitions.filter((definition) => !isSandbox(definition)),
    ...platformDefinitions.filter(isSandbox),
  ];
  const table = writeTable(
    ['Network', 'Text', 'Pictures', 'Video', 'Replies', 'Connect with', 'Tested with'],
    networks.map(({ name, title, rules, rulesFor, needsPublicMedia }) => {
      const pictures = String(rules.media?.image?.max ?? '–');
      const videos = String(rules.media?.video?.max ?? '–');
      const replies = rules.replies ? 'Yes' : 'No';
      const marks = [rulesFor && ' ¹', needsPublicMedia && ' ²'].filter(Boolean).join('');
      const link = `[${title}](docs/networks/${name}.md)${marks}`;
      return [link, writeLimit(rules.text), pictures, videos, replies, ...readmeColumns[name]];
    }),
  );
  const notes = [
    networks.some(({ rulesFor }) => rulesFor) && '¹ Limits depend on the account.',
    networks.some(({ needsPublicMedia }) => needsPublicMedia) &&
      '² Needs a public `https` address, from which it fetches media.',
    "³ The tests also check the simulator with the network's own client or description.",
  ];
  return [table, ...notes.filter(Boolean)].join('\n\n');
}

/** Each cell links to the network's own page that says so. */
export function afterPublishingTable(): string {
  return writeTable(
    ['Network', 'Remove', 'Edit', 'Otherwise'],
    platformDefinitions.map(({ title, afterPublishing }) => {
      if (!afterPublishing) return [title, 'No', 'No', ''];
      const { unpublish, edit, byHand, sources } = afterPublishing;
      const fields = edit?.fields.map((field) => `\`${field}\``).join(', ');
      return [
        title,
        writeChange(unpublish && 'Yes', unpublish, sources.unpublish),
        writeChange(fields, edit, sources.edit),
        byHand,
      ];
    }),
  );
}

type ChangeRules = NonNullable<PlatformDefinition['afterPublishing']>['unpublish'];

function writeChange(can: string | null | undefined, rules: ChangeRules, source: string): string {
  const link = source.startsWith('https:') ? ` ([source](${source}))` : '';
  if (!can || !rules) return `No${link}`;
  const { withinS, scopes, except } = rules;
  const limits = [
    withinS !== null && `within ${withinS / 3_600} hours`,
    scopes.length > 0 && `needs ${scopes.map((scope) => `\`${scope}\``).join(', ')}`,
  ].filter(Boolean);
  const said = [`${can}${link}`, ...limits].join(', ');
  return [said, ...except.map((posts) => `Not: ${posts}`)].join('. ');
}

const unitNames = {
  graphemes: 'characters',
  characters: 'characters',
  utf16: 'UTF-16 units',
  emoji_bytes: 'characters',
  weighted: 'weighted characters',
};

function writeLimit({ max, maxBytes, unit }: PlatformDefinition['rules']['text']): string {
  const characters = `${max.toLocaleString('en-US')} ${unitNames[unit]}`;
  if (maxBytes === undefined) return characters;
  const bytes = `${maxBytes.toLocaleString('en-US')} bytes`;
  // A character has at least one byte.
  return maxBytes === max ? bytes : `${characters}, ${bytes}`;
}

interface Shape {
  type?: string;
  format?: string;
  enum?: string[];
  items?: Shape;
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  required?: string[];
  description?: string;
  'x-enumDescriptions'?: Record<string, string>;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export function optionTable({ options }: PlatformDefinition): string {
  const rows = listOptions(toJsonSchema(options), '');
  return rows.length === 0 ? 'None.' : writeTable(['Option', 'Type', 'Limits', 'Meaning'], rows);
}

/**
 * Lists options, each with its members after it, such as `poll`, then `poll.options`, or `embeds`, then
 * `embeds[].title`.
 */
function listOptions({ properties = {}, required = [] }: Shape, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, shape]) => {
    const path = `${prefix}${name}`;
    const { items } = shape;
    const description = writeMeaning(shape);
    const isRequired = prefix !== '' && required.includes(name);
    const limits = [isRequired && 'required', ...writeLimits(shape)].filter(Boolean).join(', ');
    return [
      [`\`${path}\``, writeType(shape, description), limits, description],
      ...listOptions(items ?? shape, items ? `${path}[].` : `${path}.`),
    ];
  });
}

function writeMeaning({ description = '', 'x-enumDescriptions': meanings = {} }: Shape): string {
  const missing = Object.entries(meanings).filter(([, meaning]) => !description.includes(meaning));
  const words = missing.map(([word, meaning]) => `\`${word}\`: ${meaning}`).join('; ');
  return words === '' ? description : `${description} ${words}.`;
}

function writeType({ type = 'JSON', items, enum: words }: Shape, description: string): string {
  const isExplained = words?.every((word) => description.includes(`\`${word}\``));
  if (words && !isExplained) return words.map((word) => `\`${word}\``).join(', ');
  if (!items) return type;
  return items.enum ? `list of ${writeType(items, '')}` : `list of ${items.type ?? 'JSON'}s`;
}

function writeLimits(shape: Shape): string[] {
  const { items } = shape;
  const ofItems = items ? writeLimits(items).map((limit) => `each ${limit}`) : [];
  const own = [
    writeRange(shape.minItems, shape.maxItems, ' items'),
    writeRange(shape.minLength, shape.maxLength, ' characters'),
    writeRange(shape.minimum, shape.maximum, ''),
  ];
  return [...own.filter((range) => range !== ''), ...ofItems];
}

/** Zod limits every integer to the safe integers of JavaScript, so those limits are left out. */
function writeRange(min: number | undefined, max: number | undefined, unit: string): string {
  const least = min === undefined || min === Number.MIN_SAFE_INTEGER ? 0 : min;
  const isBounded = max !== undefined && max !== Number.MAX_SAFE_INTEGER;
  const units = least === 1 ? unit.replace(/s$/, '') : unit;
  if (!isBounded) return least > 0 ? `at least ${least}${units}` : '';
  return least > 0 || unit === '' ? `${least} to ${max}${unit}` : `at most ${max}${unit}`;
}
