// Checks media against a network's rules, and plans how an image is fitted to them.
import type { MediaItem, MediaRow } from '../../schema/database/tables.ts';
import type { Issue } from '../../schema/wire/errors.ts';
import type { Path, Text } from '../../schema/wire/names.ts';
import type {
  MediaFileRules,
  MediaRules,
  PlatformDefinition,
  MediaSummary,
  VideoRules,
} from '../../schema/platforms/definition.ts';
import { countOf } from '../../schema/wire/count-of.ts';

/** What is known of an image, a video or a document. While a member is null, nothing that depends on it is checked. */
export interface MediaFacts extends MediaSummary {
  width: number | null;
  height: number | null;
  durationMs: number | null;
  altText: string | null;
  /** Null: the client uploaded the file. */
  url: string | null;
  /** Whether a thumbnail was given. Absent: no. */
  hasThumbnail?: boolean;
  /** Position of the frame that was chosen. Absent or null: no frame was chosen. */
  thumbnailAtMs?: number | null;
}

/** `row`: undefined for a URL that has no media yet. */
export function factsOf(
  { url, alt_text, thumbnail_id, thumbnail_at_ms }: MediaItem,
  row: MediaRow | undefined,
): MediaFacts {
  return {
    kind: row?.kind ?? null,
    // Before the bytes are read, the row has only what the client declared.
    contentType: row?.kind ? row.content_type : null,
    bytes: row?.size_bytes ?? null,
    width: row?.width ?? null,
    height: row?.height ?? null,
    durationMs: row?.duration_ms ?? null,
    altText: alt_text,
    url: url ?? row?.url ?? null,
    hasThumbnail: thumbnail_id !== null,
    thumbnailAtMs: thumbnail_at_ms,
  };
}

/** An image's new encoding. A null is no limit. The size only shrinks, and its ratio stays the same. */
export interface FitPlan {
  contentType: string;
  maxBytes: number | null;
  maxWidth: number | null;
  maxHeight: number | null;
  maxPixels: number | null;
}

export interface MediaPlace {
  /** Path of the list of media. */
  path: Path;
  /** Path of one item of the list. */
  pathOf: (index: number) => Path;
  autoFit: boolean;
  /** The target's options, already checked, and their path. Absent: none. */
  options?: { path: Path; given: Record<string, unknown> };
}

interface MediaIssues {
  errors: Issue[];
  warnings: Issue[];
}

/**
 * The rules for the media of a post with these options. `title`: how messages name the network, or its link card.
 * With the option `link`, the image becomes the picture of the link's card, which has no alt text.
 */
export function mediaRulesOf(
  { title, rules }: Pick<PlatformDefinition, 'title' | 'rules'>,
  options: Record<string, unknown>,
): { title: string; rules: MediaRules | null } {
  const media = rules.media?.withOptions?.(options) ?? rules.media;
  if (!media?.linkCard || options['link'] === undefined) return { title, rules: media };
  const only = { video: null, document: null, altText: null };
  const card = { ...media, max: 1, image: media.linkCard, ...only };
  return { title: `A link card of ${title}`, rules: card };
}

export function checkMedia(
  title: string,
  rules: MediaRules | null,
  media: readonly MediaFacts[],
  place: MediaPlace,
): MediaIssues {
  if (media.length === 0) return { errors: [], warnings: [] };
  if (!rules) {
    const message: Text = ({ field }) =>
      `${title} doesn't accept media. Set ${field('media: []')} for this target.`;
    const issue = { path: place.path, code: 'media_not_supported', message };
    return { errors: [{ ...issue, actual: media.length, limit: 0 }], warnings: [] };
  }
  const options = place.options ?? { path: [], given: {} };
  const refusals = rules.refuse?.(media, options.given) ?? [];
  const showsNone = rules.hasNoAltTextWithVideo && media.some(({ kind }) => kind === 'video');
  const own = showsNone ? { ...rules, altText: null } : rules;
  const issues = media.map((facts, i) => checkOne(title, own, facts, place.pathOf(i), place));
  return {
    errors: [
      ...checkCounts(title, rules, media, place),
      ...refusals.map(({ option, ...refusal }) => {
        const path = option === undefined ? place.path : [...options.path, option];
        return { path, ...refusal };
      }),
      ...issues.flatMap(({ errors }) => errors),
    ],
    warnings: issues.flatMap(({ warnings }) => warnings),
  };
}

function checkCounts(
  title: string,
  rules: MediaRules,
  media: readonly MediaFacts[],
  { path }: MediaPlace,
): Issue[] {
  if (media.length > rules.max) {
    const kind = !rules.video ? 'image' : !rules.image ? 'video' : null;
    const most = kind ? countOf(rules.max, kind) : `${rules.max} media`;
    const message = `${title} accepts at most ${most} per post.`;
    const [actual, limit] = [media.length, rules.max];
    return [{ path, code: 'too_many_media', message, actual, limit }];
  }
  const kinds = new Set(media.flatMap(({ kind }) => kind ?? []));
  if (kinds.has('document') && rules.document && media.length > 1) {
    const message = `${title} accepts a document without other media.`;
    return [{ path, code: 'media_mix_not_supported', message }];
  }
  if (kinds.size > 1 && !rules.canMix) {
    const message = `${title} accepts images or videos in one post, not both.`;
    return [{ path, code: 'media_mix_not_supported', message }];
  }
  return (['image', 'video'] as const).flatMap((kind) => {
    const actual = media.filter((facts) => facts.kind === kind).length;
    const limit = rules[kind]?.max ?? 0;
    if (actual <= limit || !rules[kind]) return [];
    const message = `${title} accepts at most ${countOf(limit, kind)} per post.`;
    return [{ path, code: 'too_many_media', message, actual, limit }];
  });
}

function checkOne(
  title: string,
  rules: MediaRules,
  facts: MediaFacts,
  path: Path,
  { autoFit }: MediaPlace,
): MediaIssues {
  const errors = checkUse(title, rules, facts, path);
  const warnings = [
    ...checkAltText(title, rules, facts, path),
    ...checkThumbnail(title, rules, facts, path),
    ...checkFrame(title, rules, facts, path),
  ];
  const { kind } = facts;
  const fileRules = kind && rules[kind];
  if (kind && !fileRules) {
    const message = `${title} doesn't accept ${kind}s.`;
    errors.push({ path, code: 'media_kind_not_supported', message });
  }
  if (!fileRules) return { errors, warnings };
  const misfits = findMisfits(title, fileRules, facts, path);
  const canFit =
    autoFit && kind === 'image' && facts.contentType !== 'image/gif' && !isAbsurd(fileRules);
  for (const { issue, isFittable } of misfits) {
    if (!canFit || !isFittable) errors.push(issue);
    else warnings.push({ ...issue, code: 'media_fitted', message: `${issue.message} ${fitted}` });
  }
  return { errors, warnings };
}

/**
 * A user's own server may declare any limit. If a limit is lower than these, fitting an image to it isn't
 * worth the time.
 */
function isAbsurd({ maxBytes, maxWidth, maxHeight, maxPixels }: MediaFileRules): boolean {
  return [
    [maxBytes, 8_192],
    [maxPixels, 4_096],
    [maxWidth, 16],
    [maxHeight, 16],
  ].some(([limit, least]) => limit !== undefined && limit < least!);
}

const fitted = 'Fanfare resizes or re-encodes it.';

/** How an image must be re-encoded for the network. Null: the image can stay as it is. */
export function planFit(rules: MediaFileRules, facts: MediaFacts): FitPlan | null {
  const { contentType } = facts;
  if (contentType === null || contentType === 'image/gif') return null;
  if (findMisfits('', rules, facts, []).length === 0) return null;
  return {
    contentType: rules.types.includes(contentType) ? contentType : rules.types[0]!,
    maxBytes: rules.maxBytes ?? null,
    maxWidth: rules.maxWidth ?? null,
    maxHeight: rules.maxHeight ?? null,
    maxPixels: rules.maxPixels ?? null,
  };
}

/** Only applies the orientation and removes all metadata. */
export function cleaningPlan(contentType: string): FitPlan {
  return { contentType, maxBytes: null, maxWidth: null, maxHeight: null, maxPixels: null };
}

interface Misfit {
  issue: Issue & { message: string };
  /** A smaller or re-encoded image would fit. */
  isFittable: boolean;
}

function findMisfits(title: string, rules: VideoRules, facts: MediaFacts, path: Path): Misfit[] {
  const { kind, contentType, bytes, width, height, durationMs } = facts;
  const misfits: Misfit[] = [];
  /** `accepted`: completes "Mastodon accepts …". */
  const add = (code: string, accepted: string, actual: string | number, limit: string | number) => {
    const message = `${title} accepts ${accepted}.`;
    const isFittable = fittable.has(code);
    misfits.push({ issue: { path, code, message, actual, limit }, isFittable });
  };
  if (contentType !== null && !rules.types.includes(contentType)) {
    const types = rules.types.join(', ');
    add('media_type_not_supported', types, contentType, types);
  }
  const isGif = contentType === 'image/gif';
  const maxBytes = (isGif ? rules.maxGifBytes : undefined) ?? rules.maxBytes ?? Infinity;
  if (bytes !== null && bytes > maxBytes) {
    const what = isGif && rules.maxGifBytes ? 'GIF' : kind!;
    add('media_too_large', `${what}s of at most ${maxBytes} bytes`, bytes, maxBytes);
  }
  if (width !== null && height !== null) {
    const { minWidth = 0, minHeight = 0, maxPixels = Infinity } = rules;
    const { maxWidth = Infinity, maxHeight = Infinity, minRatio = 0, maxRatio = Infinity } = rules;
    const size = `${width} × ${height}`;
    if (width < minWidth || height < minHeight) {
      const least = describeSize(rules.minWidth, rules.minHeight);
      add('media_too_small', `${kind}s of at least ${least}`, size, `${minWidth} × ${minHeight}`);
    }
    if (width > maxWidth || height > maxHeight) {
      const limit = `${rules.maxWidth ?? 'any'} × ${rules.maxHeight ?? 'any'}`;
      const most = describeSize(rules.maxWidth, rules.maxHeight);
      add('media_too_wide', `${kind}s of at most ${most}`, size, limit);
    } else if (width * height > maxPixels) {
      const accepted = `${kind}s of at most ${maxPixels} pixels`;
      add('media_too_many_pixels', accepted, width * height, maxPixels);
    }
    const ratio = Math.round((width / height) * 1_000) / 1_000;
    if (ratio < minRatio || ratio > maxRatio) {
      const limit = `${minRatio} to ${rules.maxRatio ?? 'any'}`;
      const accepted = `${kind}s with a width-to-height ratio of ${limit}`;
      add('media_ratio_not_supported', accepted, ratio, limit);
    }
  }
  const { minDurationMs = 0, maxDurationMs = Infinity } = rules;
  if (durationMs !== null && durationMs < minDurationMs) {
    add('media_too_short', `videos of at least ${minDurationMs} ms`, durationMs, minDurationMs);
  }
  if (durationMs !== null && durationMs > maxDurationMs) {
    add('media_too_long', `videos of at most ${maxDurationMs} ms`, durationMs, maxDurationMs);
  }
  return misfits;
}

/** At least one of `width` and `height` is given. */
function describeSize(width: number | undefined, height: number | undefined): string {
  if (width === undefined) return `${height!} pixels in height`;
  return height === undefined ? `${width} pixels in width` : `${width} × ${height} pixels`;
}

const fittable: ReadonlySet<string> = new Set([
  'media_type_not_supported',
  'media_too_large',
  'media_too_wide',
  'media_too_many_pixels',
]);

function checkUse(title: string, rules: MediaRules, facts: MediaFacts, path: Path) {
  const { altText, url, thumbnailAtMs, durationMs } = facts;
  const issues: Issue[] = [];
  if (durationMs !== null && (thumbnailAtMs ?? 0) > durationMs) {
    const at = [...path, 'thumbnail_at_ms'];
    const message = 'must be within the video';
    const numbers = { actual: thumbnailAtMs!, limit: durationMs };
    issues.push({ path: at, code: 'thumbnail_beyond_end', message, ...numbers });
  }
  if (rules.needsUrl && url === null) {
    const message: Text = ({ field }) =>
      `${title} links to media instead of storing them. Set ${field('url')}.`;
    issues.push({ path, code: 'media_url_required', message });
  }
  issues.push(...checkAltTextLength(title, rules, altText, [...path, 'alt_text']));
  return issues;
}

export function checkAltTextLength(
  title: string,
  { altText: max }: Pick<MediaRules, 'altText'>,
  altText: string | null,
  path: Path,
): Issue[] {
  const actual = Array.from(altText ?? '').length;
  if (max === null || actual <= max) return [];
  const message = `${title} accepts alt texts of at most ${max} characters.`;
  return [{ path, code: 'alt_text_too_long', message, actual, limit: max }];
}

function checkAltText(
  title: string,
  { altText: limit, hasNoAltTextWithVideo, isAltTextOfImages }: MediaRules,
  facts: MediaFacts,
  path: Path,
): Issue[] {
  const { kind } = facts;
  const isOfOther = isAltTextOfImages === true && kind !== null && kind !== 'image';
  if ((limit !== null && !isOfOther) || facts.altText === null) return [];
  const where = hasNoAltTextWithVideo ? ' beside a video' : isOfOther ? ` of ${kind}s` : '';
  const message = `${title} shows no alt texts${where}.`;
  return [{ path: [...path, 'alt_text'], code: 'alt_text_ignored', message }];
}

const mayBeVideo = (kind: MediaFacts['kind']) => kind === null || kind === 'video';

function checkThumbnail(
  title: string,
  { video }: MediaRules,
  { kind, hasThumbnail = false }: MediaFacts,
  path: Path,
): Issue[] {
  if (!hasThumbnail || (mayBeVideo(kind) && video?.hasThumbnail)) return [];
  const message = !mayBeVideo(kind)
    ? 'Only a video has a thumbnail.'
    : `${title} shows no chosen thumbnails.`;
  return [{ path: [...path, 'thumbnail_id'], code: 'thumbnail_ignored', message }];
}

function checkFrame(
  title: string,
  { video }: MediaRules,
  { kind, thumbnailAtMs = null }: MediaFacts,
  path: Path,
): Issue[] {
  if (thumbnailAtMs === null || (mayBeVideo(kind) && video?.hasThumbnailFrame)) return [];
  const message = !mayBeVideo(kind)
    ? 'Only a video has a thumbnail.'
    : `${title} shows no chosen frames.`;
  return [{ path: [...path, 'thumbnail_at_ms'], code: 'thumbnail_ignored', message }];
}
