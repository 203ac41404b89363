// Discord: messages in one channel, by a webhook or by a bot.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { discord } from '../../../schema/platforms/discord.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch, Platform, Target, Throttle } from '../platform.ts';
import { createSend } from './client.ts';
import { connect, ConnectInput } from './connect.ts';
import { findMessage } from './find-message.ts';

const Message = z.object({ id: z.string(), channel_id: z.string() });
type Message = z.infer<typeof Message>;

/** SUPPRESS_EMBEDS: https://docs.discord.com/developers/resources/message#message-object-message-flags */
const suppressEmbeds = 1 << 2;
const webhookOptions = ['username', 'avatar_url', 'thread_id', 'thread_name'];

export function createDiscord({ fetch, apiUrl }: { fetch: Fetch; apiUrl: string }): Platform {
  const send = createSend(fetch, apiUrl);
  return {
    ...discord,

    connect: {
      credentials: ConnectInput,
      run: (credentials, signal) => connect(send, credentials, signal),
    },

    async commit(target, signal) {
      const { credentials } = target;
      const call = isWebhook(target) ? executeWebhook(target) : createMessage(target);
      const sent = await send({ kind: 'commit', ...call, credentials, answer: Message, signal });
      const published = toPublished(target, sent.body);
      return { outcome: 'published', published, throttle: readThrottle(sent.headers) };
    },

    async reconcile(target, signal) {
      // Nothing lists a webhook's messages.
      if (isWebhook(target)) return { outcome: 'unknown' };
      const found = await findMessage(send, target, nonceOf(target), signal);
      if (typeof found === 'string') return { outcome: found };
      return { outcome: 'published', published: toPublished(target, found) };
    },
  };
}

const isWebhook = ({ credentials }: Target) => credentials['webhook_token'] !== undefined;

/** @see https://docs.discord.com/developers/resources/webhook#execute-webhook */
function executeWebhook(target: Target) {
  const { webhook_id, webhook_token } = target.credentials;
  const { username, avatar_url, thread_id, thread_name } = target.platformOptions;
  const thread = typeof thread_id === 'string' ? `&thread_id=${thread_id}` : '';
  return {
    path: `/webhooks/${webhook_id}/${webhook_token}?wait=true${thread}`,
    json: { ...contentOf(target), username, avatar_url, thread_name },
  };
}

/** @see https://docs.discord.com/developers/resources/message#create-message */
function createMessage(target: Target) {
  const { replyTo, platformOptions, credentials } = target;
  const refused = webhookOptions.find((name) => platformOptions[name] !== undefined);
  if (refused) {
    const message = `Discord takes ${refused} from webhooks only, not from bots.`;
    throw new PlatformError('rejected', message, { platformCode: 'webhook_only_option' });
  }
  const answered = { message_id: replyTo, fail_if_not_exists: true };
  return {
    path: `/channels/${credentials['channel_id']}/messages`,
    json: {
      ...contentOf(target),
      nonce: nonceOf(target),
      enforce_nonce: true,
      ...(replyTo !== null && { message_reference: answered }),
    },
  };
}

function contentOf({ caption, platformOptions }: Target) {
  const { embeds, allowed_mentions, suppress_embeds } = platformOptions;
  return {
    content: caption,
    embeds,
    // Without it, a bot's message notifies @everyone.
    allowed_mentions: { parse: allowed_mentions ?? ['users'] },
    ...(suppress_embeds === true && { flags: suppressEmbeds }),
  };
}

/** At most 25 characters. */
const nonceOf = ({ resultId }: Target) =>
  createHash('sha256').update(resultId).digest('base64url').slice(0, 25);

function toPublished({ traits }: Target, { id, channel_id }: Message) {
  const url = `https://discord.com/channels/${String(traits['guildId'])}/${channel_id}/${id}`;
  return { externalId: id, url };
}

/** @see https://docs.discord.com/developers/topics/rate-limits#header-format */
function readThrottle(headers: Headers): Throttle | undefined {
  const waitMs = Math.ceil(Number(headers.get('x-ratelimit-reset-after')) * 1_000);
  if (headers.get('x-ratelimit-remaining') !== '0' || !(waitMs > 0)) return undefined;
  return { scope: 'account', waitMs };
}
