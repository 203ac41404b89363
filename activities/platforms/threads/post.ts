// A post as Threads takes it: its containers, its publish, and how many posts the account has left.
import { z } from 'zod';
import { threads } from '../../../schema/platforms/threads.ts';
import { containerStatuses, publicForMs, type ContainerCalls } from '../meta/containers.ts';
import { Made } from '../meta/ids.ts';
import { urlEncoded } from '../multipart.ts';
import type { Ask } from '../network-api.ts';
import { hasCode, PlatformError } from '../platform-error.ts';
import type { Target, TargetMedia } from '../platform.ts';
import { network } from './api.ts';
import { threadsFailures } from './errors.ts';

/** https://developers.facebook.com/docs/threads/troubleshooting */
const Status = z.object({
  status: z.enum(containerStatuses),
  error_message: z.string().optional(),
});

/** https://developers.facebook.com/docs/threads/overview#rate-limiting */
const Usage = z.object({ quota_total: z.number() });
const Limits = z.object({
  data: z
    .array(
      z.object({
        quota_usage: z.number().optional(),
        config: Usage.optional(),
        reply_quota_usage: z.number().optional(),
        reply_config: Usage.optional(),
      }),
    )
    .min(1),
});

export function createCalls(ask: Ask, target: Target): ContainerCalls {
  const { media } = target;
  const isCarousel = media.length > 1;
  const create = async (fields: Fields) =>
    (await ask('/me/threads', Made, { upload: urlEncoded(fields) })).body.id;
  return {
    network,
    itemCount: isCarousel ? media.length : 0,
    failures: threadsFailures,
    checkQuota: () => checkQuota(ask, target),
    createItem: (index) => create({ ...toFile(media[index]!), is_carousel_item: 'true' }),
    createPost: (items) =>
      create({
        ...(isCarousel
          ? { media_type: 'CAROUSEL', children: items.join(',') }
          : media[0]
            ? toFile(media[0])
            : { media_type: 'TEXT' }),
        ...toFields(target),
      }),
    areItemsGone: (error) => hasCode(error, '100/4279004'),
    readStatus: (id) => readStatus(ask, id),
    async publish(id) {
      const upload = urlEncoded({ creation_id: id });
      return (await ask('/me/threads_publish', Made, { upload, kind: 'commit' })).body.id;
    },
  };
}

type Fields = Record<string, string | undefined>;

/** https://developers.facebook.com/docs/threads/reference/publishing */
function toFile(media: TargetMedia): Fields {
  const url = media.publicUrl(publicForMs);
  const altText = media.altText?.toWellFormed();
  return {
    ...(media.kind === 'image'
      ? { media_type: 'IMAGE', image_url: url }
      : { media_type: 'VIDEO', video_url: url }),
    ...(altText && { alt_text: altText }),
  };
}

function toFields({ caption, replyTo, platformOptions }: Target): Fields {
  const { reply_control, topic_tag, link_attachment, poll, quote_post_id } =
    threads.options.parse(platformOptions);
  return {
    ...(caption !== '' && { text: caption.toWellFormed() }),
    ...(replyTo !== null && { reply_to_id: replyTo }),
    reply_control,
    topic_tag: topic_tag?.toWellFormed(),
    link_attachment: link_attachment && new URL(link_attachment).href,
    quote_post_id,
    ...(poll && { poll_attachment: toPoll(poll.options) }),
  };
}

const letters = ['a', 'b', 'c', 'd'];

/** https://developers.facebook.com/docs/threads/create-posts/polls */
function toPoll(options: readonly string[]): string {
  const named = options.map((option, i) => [`option_${letters[i]}`, option.toWellFormed()]);
  return JSON.stringify(Object.fromEntries(named));
}

async function readStatus(ask: Ask, id: string) {
  try {
    const query = { fields: 'id,status,error_message' };
    const { status, error_message: reason } = (await ask(`/${id}`, Status, { query })).body;
    return { status, reason };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Threads doesn't know the object at all, or doesn't know it yet. */
export const isMissing = (error: unknown): boolean =>
  hasCode(error, '24/4279009') || hasCode(error, '100/33');

/** Replies have their own limit. */
export async function checkQuota(ask: Ask, { replyTo }: Target): Promise<void> {
  const isReply = replyTo !== null;
  const fields = isReply ? 'reply_quota_usage,reply_config' : 'quota_usage,config';
  const { body } = await ask('/me/threads_publishing_limit', Limits, { query: { fields } });
  const { quota_usage, config, reply_quota_usage, reply_config } = body.data[0]!;
  const [used, limit] = isReply ? [reply_quota_usage, reply_config] : [quota_usage, config];
  if (used === undefined || !limit || used < limit.quota_total) return;
  const what = isReply ? 'replies' : 'posts';
  const message = `${network} accepts ${limit.quota_total} ${what} of an account in 24 hours, and all are used.`;
  // The limit counts the posts of the last 24 hours, so the account may publish again as its posts get older.
  // Threads doesn't say when.
  throw new PlatformError('rate_limited', message, { platformCode: 'quota', isOutOfQuota: true });
}
