// Loads the media of a target as its network takes them: fitted, cleaned, and readable by range.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { findRendition, insertRendition } from '../../schema/database/media/renditions.ts';
import { mediaOf, optionsOf, type TargetRow } from '../../schema/database/posts/targets.ts';
import type { Db, MediaItem, MediaRow } from '../../schema/database/tables.ts';
import type { MediaRules, PlatformDefinition } from '../../schema/platforms/definition.ts';
import { mediaErrorOf, type PostingErrorCode } from '../../schema/posts/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import { render } from '../../schema/wire/names.ts';
import {
  checkMedia,
  cleaningPlan,
  factsOf,
  mediaRulesOf,
  planFit,
  type FitPlan,
  type MediaFacts,
} from '../platforms/media-rules.ts';
import type { TargetMedia } from '../platforms/platform.ts';
import { MediaError } from './media-error.ts';
import type { FittedImage } from './images/images.ts';
import type { PublicUrls } from '../platforms/public-urls.ts';
import { openSource, putSegment, segmentBytes } from './segments.ts';
import { StoreError, type MediaStorage, type MediaStore } from './store/store.ts';

/** A target's network, with the rules for its account. */
type Network = Pick<PlatformDefinition, 'title' | 'rules'>;

/** Why a target can't be published with its media. */
export interface MediaFailure {
  code: Extract<PostingErrorCode, `media_${string}`>;
  message: string;
}

/**
 * `found`: the rows of the target's media. Fails if the network would refuse the media. When the post was
 * accepted, Fanfare may not have known their type and size yet. Throws a StoreError if the store doesn't
 * answer.
 */
export type LoadMedia = (
  target: TargetRow,
  found: readonly MediaRow[],
  network: Network,
) => Promise<readonly TargetMedia[] | MediaFailure>;

interface LoaderDependencies {
  db: Db;
  publicUrls: PublicUrls;
  /** Undefined: this worker has no store. */
  media: Pick<MediaStorage, 'store' | 'images'> | undefined;
}

/** An image that couldn't be fitted isn't tried again for an hour, since each try takes seconds. */
const rememberedFits = { max: 10_000, ttl: 3_600_000 } as const;

export function createMediaLoader({
  db,
  publicUrls,
  media: storage,
}: LoaderDependencies): LoadMedia {
  const refused = new LRUCache<string, MediaError>(rememberedFits);
  /** Renditions that are being made. Targets that begin together share them. */
  const making = new Map<string, Promise<MediaRow>>();

  return async function load(target, found, network) {
    const items = mediaOf(target);
    const { auto_fit: autoFit } = target;
    const options = optionsOf(target);
    if (items.length === 0) return [];
    if (!storage) throw new StoreError('unavailable', 'This worker has no media store.');
    const rows = new Map(found.map((media) => [media.id, media]));
    const facts = items.map((item) => factsOf(item, rows.get(item.id!)));
    const { title, rules } = mediaRulesOf(network, options);
    const [misfit] = checkMedia(title, rules, facts, {
      path: ['media'],
      pathOf: (i) => ['media', i],
      autoFit,
      options: { path: ['platform_options'], given: options },
    }).errors;
    if (misfit) return { code: mediaErrorOf(misfit.code), message: render(misfit.message) };
    try {
      return await Promise.all(
        items.map(async (item, i) => {
          const media = rows.get(item.id!)!;
          const thumbnail = rows.get(item.thumbnail_id ?? '');
          const fitted = await toRendition(media, planOf(media, facts[i]!, rules, autoFit));
          const shown = thumbnail && (await loadThumbnail(target, thumbnail));
          return toTargetMedia(target, fitted, item, shown);
        }),
      );
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      return { code: mediaErrorOf(error.code), message: error.message };
    }
  };

  async function loadThumbnail(target: TargetRow, media: MediaRow): Promise<TargetMedia> {
    const plan = media.needs_cleaning ? cleaningPlan(media.content_type!) : null;
    const item = { alt_text: null, url: null, thumbnail_at_ms: null };
    return toTargetMedia(target, await toRendition(media, plan), item, undefined);
  }

  /** Returns the rendition of the image. The first target that needs the rendition makes it. */
  async function toRendition(media: MediaRow, plan: FitPlan | null): Promise<MediaRow> {
    if (!plan) return media;
    const name = JSON.stringify(plan);
    const key = `${media.id}/${name}`;
    const begun = making.get(key);
    if (begun) return begun;
    const made = findOrMake(media, plan, name).finally(() => making.delete(key));
    making.set(key, made);
    return made;
  }

  async function findOrMake(media: MediaRow, plan: FitPlan, name: string): Promise<MediaRow> {
    const made = await findRendition(db, media.id, name);
    if (made) return made;
    const { store } = storage!;
    await using fitted = await fit(media, plan, `${media.id}/${name}`);
    const { bytes, contentType, width, height } = fitted;
    const id = newId('media');
    const { segments, sha256 } = await storeFitted(store, id, fitted);
    const facts = { bytes, sha256, segments, contentType, width, height };
    const inserted = await insertRendition(db, media, { id, name, ...facts });
    if (inserted) return inserted;
    // Another worker made the same rendition.
    await store.remove(segments.map(({ key }) => key));
    return (await findRendition(db, media.id, name))!;
  }

  async function fit(media: MediaRow, plan: FitPlan, key: string): Promise<FittedImage> {
    const { store, images } = storage!;
    const refusal = refused.get(key);
    if (refusal) throw refusal;
    const source = openSource({ db, store }, media);
    try {
      return await images.fit(media.project_id, source, plan);
    } catch (error) {
      if (error instanceof MediaError) refused.set(key, error);
      throw error;
    }
  }

  async function toTargetMedia(
    { id: resultId, project_id: projectId }: TargetRow,
    media: MediaRow,
    item: Pick<MediaItem, 'alt_text' | 'url' | 'thumbnail_at_ms'>,
    thumbnail: TargetMedia | undefined,
  ): Promise<TargetMedia> {
    const { store } = storage!;
    const source = openSource({ db, store }, media);
    return {
      id: media.id,
      kind: media.kind!,
      contentType: media.content_type!,
      filename: `${media.id}.${extensions[media.content_type!] ?? 'bin'}`,
      sha256: media.sha256!,
      bytes: source.bytes,
      width: media.width ?? 0,
      height: media.height ?? 0,
      durationMs: media.duration_ms,
      altText: item.alt_text,
      url: item.url ?? media.url,
      publicUrl: (forMs) =>
        publicUrls.urlOf({ projectId, resultId, mediaId: media.id }, media.content_type!, forMs),
      thumbnail: thumbnail ?? null,
      thumbnailAtMs: item.thumbnail_at_ms,
      open: (range) => source.open(range),
    };
  }
}

async function storeFitted(store: MediaStore, id: string, fitted: FittedImage) {
  const sha256 = createHash('sha256');
  const segments = [];
  let start = 0;
  for await (const part of fitted.open(segmentBytes)) {
    sha256.update(part);
    segments.push(await putSegment(store, id, start, part));
    start += part.byteLength;
  }
  return { segments, sha256: sha256.digest('hex') };
}

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
};

/** Every image that shows where it was taken, or that must be rotated, is re-encoded. */
function planOf(media: MediaRow, facts: MediaFacts, rules: MediaRules | null, autoFit: boolean) {
  // A network that takes URLs publishes the file as it is.
  if (media.kind !== 'image' || !rules?.image || rules.needsUrl) return null;
  const plan = autoFit ? planFit(rules.image, facts) : null;
  return plan ?? (media.needs_cleaning ? cleaningPlan(media.content_type!) : null);
}
