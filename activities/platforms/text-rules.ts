// Checks texts against a network's rules.
import type { Issue } from '../../schema/wire/errors.ts';
import type { Path } from '../../schema/wire/names.ts';
import type {
  PlatformDefinition,
  PlatformRules,
  TextUnit,
} from '../../schema/platforms/definition.ts';

const unitNames: Record<TextUnit, string> = {
  graphemes: 'graphemes',
  characters: 'characters',
  utf16: 'UTF-16 code units',
  emoji_bytes: 'characters, with emoji as bytes',
  weighted: 'weighted characters',
};
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

interface TextPlace {
  path: Path;
  /** The target's options, already checked. */
  options?: Record<string, unknown>;
  /** Default: the text is a caption. */
  isComment?: boolean;
  /** Media of the post. Default: no media. */
  media?: readonly TextMedia[];
}

/** `kind`: absent or null if it is not known yet. */
interface TextMedia {
  url: string | null;
  kind?: 'image' | 'video' | 'document' | null;
}

/**
 * For a network that links to media instead of storing them. Adds each URL that isn't in the text already, on
 * a separate line.
 */
export function writeMediaUrls(text: string, media: readonly { url: string | null }[]): string {
  const words = new Set(text.split(/\s+/));
  const urls = media.flatMap(({ url }) => (url === null || words.has(url) ? [] : [url]));
  return [...(text === '' ? [] : [text]), ...new Set(urls)].join('\n');
}

export function checkText(
  { title, rules }: Pick<PlatformDefinition, 'title' | 'rules'>,
  given: string,
  { path, options = {}, isComment = false, media = [] }: TextPlace,
): Issue[] {
  const { maxBytes, unit, count } = rules.text;
  const hasMedia = media.length > 0;
  const text = rules.media?.needsUrl ? writeMediaUrls(given, media) : given;
  const max = maxOf(rules.text, media);
  const what = isComment ? 'comment' : 'caption';
  const isRequired = isComment || (rules.isTextRequired && !hasMedia);
  if (isRequired && text.trim() === '') {
    return [{ path, code: `${what}_required`, message: `${title} needs a ${what}.` }];
  }
  const bytes = Buffer.byteLength(text);
  if (maxBytes !== undefined && bytes > maxBytes) {
    const message = `${title} takes ${maxBytes} bytes of text at most.`;
    return [{ path, code: `${what}_too_long`, message, actual: bytes, limit: maxBytes }];
  }
  const length = count?.(text, options) ?? lengthOf(text, unit, max);
  if (length <= max) return [];
  const place = max < rules.text.max ? ' in a post with media' : '';
  const message = `${title} takes ${max} ${unitNames[unit]} at most${place}.`;
  return [{ path, code: `${what}_too_long`, message, actual: length, limit: max }];
}

/** A file whose kind is not known yet may be an image. */
function maxOf(
  { max, maxWithMedia = max, maxWithImages = maxWithMedia }: PlatformRules['text'],
  media: readonly TextMedia[],
): number {
  if (media.length === 0) return max;
  return media.some(({ kind }) => kind === 'video') ? maxWithMedia : maxWithImages;
}

/**
 * A text never has more graphemes than code units, so most captions fit without a count of their graphemes.
 */
function lengthOf(text: string, unit: TextUnit, max: number): number {
  if (unit === 'utf16' || text.length <= max) return text.length;
  const units: Iterable<unknown> = unit === 'characters' ? text : graphemes.segment(text);
  return Array.from(units).length;
}
