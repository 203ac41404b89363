// A post as Instagram takes it: its containers, its publish, and how many posts the account has left.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { instagram, placementOf, type Placement } from '../../../schema/platforms/instagram.ts';
import { containerStatuses, publicForMs, type ContainerCalls } from '../meta/containers.ts';
import { Made } from '../meta/ids.ts';
import { urlEncoded } from '../multipart.ts';
import type { Ask } from '../network-api.ts';
import { hasCode, PlatformError } from '../platform-error.ts';
import type { Target, TargetMedia } from '../platform.ts';
import { network } from './api.ts';
import { instagramFailures } from './errors.ts';

/** https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-container */
const Status = z.object({ status_code: z.enum(containerStatuses), status: z.string().optional() });

/** https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/content_publishing_limit */
const Limits = z.object({
  data: z.array(
    z.object({
      quota_usage: z.number().optional(),
      config: z.object({ quota_total: z.number() }).optional(),
    }),
  ),
});

type Options = z.output<typeof instagram.options>;

export function readOptions({ media, platformOptions }: Target) {
  const options = instagram.options.parse(platformOptions);
  return { options, placement: placementOf(media, options) ?? 'feed' };
}

export function createCalls(ask: Ask, target: Target): ContainerCalls {
  const { media, caption, externalAccountId: account } = target;
  const { options, placement } = readOptions(target);
  const isCarousel = placement === 'feed' && media.length > 1;
  const create = async (fields: Fields) =>
    (await ask(`/${account}/media`, Made, { upload: urlEncoded(fields) })).body.id;
  return {
    network,
    itemCount: isCarousel ? media.length : 0,
    failures: instagramFailures,
    checkQuota: () => checkQuota(ask, account),
    createItem: (index) =>
      create({ is_carousel_item: 'true', ...toItem(media[index]!, options, index) }),
    createPost: (items) =>
      create({
        ...(isCarousel
          ? { media_type: 'CAROUSEL', children: items.join(',') }
          : toFile(media[0]!, options, placement)),
        ...(placement !== 'story' && caption !== '' && { caption: caption.toWellFormed() }),
        location_id: options.location_id,
        collaborators: toList(options.collaborators),
      }),
    areItemsGone: (error) => hasCode(error, '24/2207008') || hasCode(error, '24/2207006'),
    readStatus: (id) => readStatus(ask, id),
    publish: (id) => publish(ask, account, id),
  };
}

type Fields = Record<string, string | undefined>;

/** https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media */
function toFile(media: TargetMedia, options: Options, placement: Placement): Fields {
  const url = media.publicUrl(publicForMs);
  const tags = toTags(options, 0);
  if (placement === 'story') {
    const file = media.kind === 'image' ? { image_url: url } : { video_url: url };
    return { media_type: 'STORIES', ...file, user_tags: tags };
  }
  if (media.kind === 'image') {
    return { image_url: url, alt_text: toAltText(media), user_tags: tags };
  }
  return {
    media_type: 'REELS',
    video_url: url,
    ...toCover(media),
    share_to_feed: options.share_to_feed?.toString(),
    audio_name: options.audio_name?.toWellFormed(),
    user_tags: tags,
  };
}

/** Fields of a container for one item of a carousel. */
function toItem(media: TargetMedia, options: Options, index: number): Fields {
  const url = media.publicUrl(publicForMs);
  const user_tags = toTags(options, index);
  return media.kind === 'image'
    ? { image_url: url, alt_text: toAltText(media), user_tags }
    : { media_type: 'VIDEO', video_url: url, user_tags };
}

const toAltText = ({ altText }: TargetMedia) => altText?.toWellFormed() || undefined;

function toCover({ thumbnail, thumbnailAtMs }: TargetMedia): Fields {
  if (!thumbnail) return { thumb_offset: thumbnailAtMs?.toString() };
  if (thumbnail.contentType !== 'image/jpeg') {
    const message = 'The thumbnail of a reel must be a JPEG.';
    throw new PlatformError('rejected', message, { platformCode: 'thumbnail' });
  }
  return { cover_url: thumbnail.publicUrl(publicForMs) };
}

function toTags({ user_tags = [] }: Options, index: number): string | undefined {
  const own = user_tags.filter(({ media_index = 0 }) => media_index === index);
  return toList(own.map(({ username, x, y }) => ({ username, x, y })));
}

const toList = (items: readonly unknown[] = []) =>
  items.length === 0 ? undefined : JSON.stringify(items);

async function readStatus(ask: Ask, id: string) {
  try {
    const query = { fields: 'status_code,status' };
    const { status_code, status } = (await ask(`/${id}`, Status, { query })).body;
    // The status is a text such as "Error: Media upload has failed with error code 2207076".
    return { status: status_code, reason: /\b2207\d{3}\b/.exec(status ?? '')?.[0] ?? status };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Instagram doesn't know the object, or not yet. */
export const isMissing = (error: unknown): error is PlatformError =>
  ['24/2207006', '24/2207008', '100/33'].some((code) => hasCode(error, code));

/** The account publishes 50 to 100 posts in 24 hours. */
export async function checkQuota(ask: Ask, account: string): Promise<void> {
  const query = { fields: 'quota_usage,config' };
  const { body } = await ask(`/${account}/content_publishing_limit`, Limits, { query });
  const { quota_usage: used, config } = body.data[0] ?? {};
  if (used === undefined || !config || used < config.quota_total) return;
  const message = `${network} accepts ${config.quota_total} posts of an account in 24 hours, and all are used.`;
  throw new PlatformError('rate_limited', message, { platformCode: 'quota', isOutOfQuota: true });
}

/**
 * A post that Instagram blocks as spam may be public all the same. Its container may show late that the post
 * is public.
 */
const blockedWaitsMs = [0, 2_000, 4_000];

async function publish(ask: Ask, account: string, id: string): Promise<string> {
  try {
    const upload = urlEncoded({ creation_id: id });
    return (await ask(`/${account}/media_publish`, Made, { upload, kind: 'commit' })).body.id;
  } catch (error) {
    if (!hasCode(error, '4/2207051')) throw error;
    for (const waitMs of blockedWaitsMs) {
      await sleep(waitMs);
      const found = await readStatus(ask, id).catch(() => undefined);
      if (found?.status === 'FINISHED') continue;
      throw error.as('unknown_outcome');
    }
    throw error;
  }
}
