// Loads the media of a target as its network takes them: fitted, cleaned, and readable by range.
import { findMedia, idsOf, listSegments } from '../../schema/database/media/media.ts';
import { findRendition, insertRendition } from '../../schema/database/media/renditions.ts';
import { mediaOf, type TargetRow } from '../../schema/database/posts/targets.ts';
import type { Db, MediaItem, MediaRow } from '../../schema/database/tables.ts';
import type { MediaRules, PlatformDefinition } from '../../schema/platforms/definition.ts';
import { newId } from '../../schema/wire/ids.ts';
import { render } from '../../schema/wire/names.ts';
import {
  checkMedia,
  factsOf,
  mediaRulesOf,
  planFit,
  type FitPlan,
  type MediaFacts,
  type MediaPlace,
} from '../platforms/media-rules.ts';
import type { TargetMedia } from '../platforms/platform.ts';
import { cleaningPlan, fitImage } from './fit.ts';
import { MediaError } from './media-error.ts';
import { openSource, putSegment, segmentBytes } from './segments.ts';
import { StoreError, type MediaStore } from './store/store.ts';

/** A target's network, with the rules for its account. */
type Network = Pick<PlatformDefinition, 'title' | 'rules'>;

/** `code`: the network would refuse the media, which were not known when the post was accepted. */
export type LoadedMedia =
  | { media: readonly TargetMedia[] }
  | { code: 'media_invalid' | 'media_too_large' | 'media_expired'; message: string };

/** Throws a StoreError if the store doesn't answer. */
export type LoadMedia = (row: TargetRow, network: Network) => Promise<LoadedMedia>;

interface LoaderDependencies {
  db: Db;
  store: MediaStore | undefined;
}

export function createMediaLoader({ db, store }: LoaderDependencies): LoadMedia {
  return async function load(row, network) {
    const items = mediaOf(row);
    const { auto_fit: autoFit, platform_options: options } = row;
    if (items.length === 0) return { media: [] };
    if (!store) throw new StoreError('unavailable', 'This worker has no media store.');
    const rows = new Map((await findMedia(db, idsOf(items))).map((row) => [row.id, row]));
    const facts = items.map((item) => factsOf(item, rows.get(item.id!)));
    const { title, rules } = mediaRulesOf(network, options);
    const misfit = findMisfit(title, rules, facts, {
      autoFit,
      options: { path: ['platform_options'], given: options },
    });
    if (misfit) return misfit;
    try {
      const media = await Promise.all(
        items.map(async (item, i) => {
          const row = rows.get(item.id!)!;
          const thumbnail = rows.get(item.thumbnail_id ?? '');
          const fitted = await fit(row, planOf(row, facts[i]!, rules, autoFit));
          return toTargetMedia(fitted, item, thumbnail && (await loadThumbnail(thumbnail)));
        }),
      );
      return { media };
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      const code = error.code === 'media_too_large' ? error.code : 'media_invalid';
      return { code, message: error.message };
    }
  };

  async function loadThumbnail(row: MediaRow): Promise<TargetMedia> {
    const plan = row.needs_cleaning ? cleaningPlan(row.content_type!) : null;
    return toTargetMedia(await fit(row, plan), noItem, undefined);
  }

  /** The rendition of the image, which the first target that needs it makes. */
  async function fit(row: MediaRow, plan: FitPlan | null): Promise<MediaRow> {
    if (!plan) return row;
    const name = JSON.stringify(plan);
    const made = await findRendition(db, row.id, name);
    if (made) return made;
    const source = openSource({ store: store! }, row, await listSegments(db, row.id));
    const { bytes, ...fitted } = await fitImage(source, plan);
    const id = newId('media');
    const segments = [];
    for (let start = 0; start < bytes.length; start += segmentBytes) {
      const part = bytes.subarray(start, start + segmentBytes);
      segments.push(await putSegment(store!, id, start, part));
    }
    const inserted = await insertRendition(db, row, { id, name, bytes, segments, ...fitted });
    if (inserted) return inserted;
    // Another worker made the same one.
    await store!.remove(segments.map(({ key }) => key));
    return (await findRendition(db, row.id, name))!;
  }

  async function toTargetMedia(
    row: MediaRow,
    { alt_text: altText, url }: Pick<MediaItem, 'alt_text' | 'url'>,
    thumbnail: TargetMedia | undefined,
  ): Promise<TargetMedia> {
    const source = openSource({ store: store! }, row, await listSegments(db, row.id));
    return {
      id: row.id,
      kind: row.kind!,
      contentType: row.content_type!,
      filename: `${row.id}.${extensions[row.content_type!] ?? 'bin'}`,
      sha256: row.sha256!,
      bytes: source.bytes,
      width: row.width!,
      height: row.height!,
      durationMs: row.duration_ms,
      altText,
      url: url ?? row.url,
      thumbnail: thumbnail ?? null,
      open: (range) => source.open(range),
    };
  }
}

const noItem = { alt_text: null, url: null };

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};

function findMisfit(
  title: string,
  rules: MediaRules | null,
  facts: MediaFacts[],
  given: Pick<MediaPlace, 'autoFit' | 'options'>,
): Extract<LoadedMedia, { code: string }> | undefined {
  const place = { path: ['media'], pathOf: (i: number) => ['media', i], ...given };
  const [issue] = checkMedia(title, rules, facts, place).errors;
  if (!issue) return undefined;
  const code = issue.code === 'media_too_large' ? issue.code : 'media_invalid';
  return { code, message: render(issue.message) };
}

/** Every image that shows where it was taken, or lies on its side, is re-encoded. */
function planOf(row: MediaRow, facts: MediaFacts, rules: MediaRules | null, autoFit: boolean) {
  // The file at a URL is published as it is there.
  if (row.kind !== 'image' || !rules?.image || rules.needsUrl) return null;
  const plan = autoFit ? planFit(rules.image, facts) : null;
  return plan ?? (row.needs_cleaning ? cleaningPlan(row.content_type!) : null);
}
