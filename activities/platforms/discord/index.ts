// Discord: messages in one channel, by a webhook or by a bot.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { discord } from '../../../schema/platforms/discord.ts';
import { version } from '../../../schema/version.ts';
import type { NetworkAnswer } from '../json-client.ts';
import { multipart, toFilePart } from '../multipart.ts';
import { createApi, type ApiCall, type Ask } from '../network-api.ts';
import { goneIf, isThere, PlatformError } from '../platform-error.ts';
import type {
  Credentials,
  Fetch,
  Platform,
  PublishedPost,
  ReconcileOutcome,
  Target,
  TargetMedia,
} from '../platform.ts';
import { publishedAs } from '../results.ts';
import type { Explanation, Meaning } from '../refusal.ts';
import { createConnect, placeOf, readPlace } from './connect.ts';

const Message = z.object({
  id: z.string(),
  channel_id: z.string(),
  content: z.string(),
  author: z.object({ id: z.string() }),
  nonce: z.union([z.string(), z.number()]).nullish(),
  message_reference: z.object({ message_id: z.string().nullish() }).nullish(),
  attachments: z.array(z.object({ size: z.int() })).default([]),
});
type Message = z.infer<typeof Message>;
const Channel = z.object({ last_message_id: z.string().regex(/^\d+$/).nullish() });

/** Discord returns at most this many messages at once. */
const pageSize = 100;
/** Our clock and Discord's may differ by this much. */
const clockErrorMs = 5_000;
const discordEpochMs = 1_420_070_400_000;

/** @see https://docs.discord.com/developers/reference#user-agent */
const userAgent = { 'user-agent': `DiscordBot (Fanfare, ${version})` };

export function createDiscord({ fetch, apiUrl }: { fetch: Fetch; apiUrl: string }): Platform {
  const open = createApi(fetch, {
    network: 'Discord',
    open: ({ bot_token = '', webhook_token = '' }) => ({
      url: apiUrl,
      headers: { ...userAgent, ...(bot_token && { authorization: `Bot ${bot_token}` }) },
      secrets: [bot_token, webhook_token],
    }),
    readRefusal,
  });
  return {
    definition: discord,
    connect: [createConnect(open)],

    async commit(target, signal) {
      const [path, call] = toCall(target);
      const { body, throttle } = await open(target.credentials, signal)(path, Message, call);
      return { ...toPublished(target, body), throttle };
    },

    async reconcile(target, signal) {
      // Discord has no list of a webhook's messages.
      if (target.credentials['webhook_id']) return { outcome: 'unknown' };
      return findMessage(open(target.credentials, signal), target);
    },

    unpublish: {
      /** @see https://docs.discord.com/developers/resources/message#delete-message */
      async remove(post, signal) {
        const call = { kind: 'commit', method: 'DELETE', ...threadOf(post) } as const;
        const asked = open(post.credentials, signal)(messagePath(post), z.unknown(), call);
        await asked.catch(goneIf(unknownMessage));
      },
      exists: (post, signal) => isThere(readMessage(open(post.credentials, signal), post)),
    },

    edit: {
      /** Files that the call doesn't name stay. */
      async apply(post, signal) {
        const { allowed_mentions = ['users'] } = post.platformOptions;
        const json = { content: post.caption, allowed_mentions: { parse: allowed_mentions } };
        const call = { kind: 'commit', method: 'PATCH', json, ...threadOf(post) } as const;
        const asked = open(post.credentials, signal)(messagePath(post), z.unknown(), call);
        await asked.catch(goneIf(unknownMessage));
      },
      async isApplied(post, signal) {
        const { content } = await readMessage(open(post.credentials, signal), post);
        return plain(content) === plain(post.caption);
      },
    },

    checks: {
      inspect: ({ credentials }, signal) => readPlace(open(credentials, signal), credentials),
    },
  };
}

/** @see https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const unknownMessage = '10008';

const messagePath = ({ credentials, externalId }: PublishedPost) =>
  `${placeOf(credentials)}/messages/${externalId}`;

/** A message in a thread needs the thread, if a webhook wrote it. */
const threadOf = ({ platformOptions: { thread_id } }: PublishedPost) =>
  thread_id === undefined ? {} : { query: { thread_id: thread_id as string } };

/** @see https://docs.discord.com/developers/resources/webhook#get-webhook-message */
async function readMessage(ask: Ask, post: PublishedPost) {
  const asked = ask(messagePath(post), z.object({ content: z.string() }), threadOf(post));
  return (await asked.catch(goneIf(unknownMessage))).body;
}

/** @see https://docs.discord.com/developers/resources/message#create-message */
function toCall(target: Target): [path: string, ApiCall] {
  const { credentials, caption, media, platformOptions, replyTo } = target;
  const { suppress_embeds, allowed_mentions = ['users'], thread_id, ...options } = platformOptions;
  const content = {
    ...options,
    content: caption === '' ? undefined : caption,
    // Without this option, a bot's message can notify @everyone.
    allowed_mentions: { parse: allowed_mentions },
    // https://docs.discord.com/developers/resources/message#message-object-message-flags
    flags: suppress_embeds === true ? 1 << 2 : undefined,
    attachments: media.length > 0 ? media.map(toAttachment) : undefined,
  };
  // https://docs.discord.com/developers/resources/webhook#execute-webhook
  if (credentials['webhook_id']) {
    const query = { wait: 'true', thread_id: thread_id as string | undefined };
    return [placeOf(credentials), { kind: 'commit', query, ...toBody(content, media) }];
  }
  if ('username' in platformOptions || 'thread_id' in platformOptions) {
    const message = 'Discord takes username and thread_id from webhooks only, not from bots.';
    throw new PlatformError('rejected', message, { platformCode: 'webhook_only_option' });
  }
  const message_reference = replyTo === null ? undefined : { message_id: replyTo };
  const json = { ...content, nonce: nonceOf(target), enforce_nonce: true, message_reference };
  return [`${placeOf(credentials)}/messages`, { kind: 'commit', ...toBody(json, media) }];
}

/** `id`: a placeholder in the form of a Discord ID. The placeholder `n` stands for `files[n]`. */
const toAttachment = ({ filename, altText }: TargetMedia, at: number) => ({
  id: String(at),
  filename,
  description: altText ?? undefined,
});

/** @see https://docs.discord.com/developers/reference#uploading-files */
function toBody(json: object, media: Target['media']): Pick<ApiCall, 'json' | 'upload'> {
  if (media.length === 0) return { json };
  const files = media.map((file, at) => toFilePart(`files[${at}]`, file));
  return { upload: multipart({ payload_json: JSON.stringify(json) }, files) };
}

/** A nonce may have at most 25 characters. */
const nonceOf = ({ resultId }: Target) => hash('sha256', resultId, 'base64url').slice(0, 25);

function toPublished({ traits }: Target, { id, channel_id }: Message) {
  const url = `https://discord.com/channels/${String(traits['guildId'])}/${channel_id}/${id}`;
  return publishedAs(id, url, 'private');
}

/**
 * `unknown`: the bot may not read the history, the channel got too many messages since, or a message has
 * other files.
 */
async function findMessage(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const channel = placeOf(target.credentials);
  // https://docs.discord.com/developers/reference#snowflakes
  const start = BigInt(target.dueAt.getTime() - clockErrorMs - discordEpochMs) << 22n;
  const { last_message_id } = (await ask(channel, Channel)).body;
  const query = { after: String(start), limit: pageSize };
  const { body: messages } = await ask(`${channel}/messages`, z.array(Message), { query });
  const like = messages.filter((message) => isLike(message, target));
  const found = like.find((message) => hasSameFiles(message, target));
  if (found) return toPublished(target, found);
  // Discord may have changed a file.
  if (like.length > 0) return { outcome: 'unknown' };
  // A bot that may not read the history gets an empty list.
  const isHidden = messages.length === 0 && BigInt(last_message_id ?? 0) > start;
  return { outcome: isHidden || messages.length === pageSize ? 'unknown' : 'absent' };
}

/**
 * Compares the nonce if Discord shows it. Otherwise, compares the author, the text, the message that is
 * replied to, and the number of files.
 */
function isLike(message: Message, target: Target): boolean {
  if (message.author.id !== target.traits['botId']) return false;
  if (message.nonce) return message.nonce === nonceOf(target);
  const answered = message.message_reference?.message_id ?? null;
  const hasAsMany = message.attachments.length === target.media.length;
  const isSameText = plain(message.content) === plain(target.caption);
  return answered === target.replyTo && hasAsMany && isSameText;
}

function hasSameFiles({ nonce, attachments }: Message, { media }: Target): boolean {
  return Boolean(nonce) || attachments.every(({ size }, at) => size === media[at]?.bytes);
}

/** Discord trims texts and drops invisible characters. */
const plain = (text: string) => text.replaceAll(/[\s\p{C}]/gu, '');

/** Tokens don't expire. @see https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const meanings = new Map<number | undefined, Meaning>([
  [10015, 'revoked'], // Unknown webhook: it was deleted.
  [20016, 'rate_limited'], // Slow mode of the channel.
  [40004, 'unavailable'], // Sending is temporarily disabled.
  [130000, 'unavailable'], // The resource is overloaded.
]);

const Refused = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  errors: z.unknown().optional(),
  retry_after: z.number().optional(),
  global: z.boolean().optional(),
});

/** @see https://docs.discord.com/developers/topics/rate-limits#global-rate-limit */
function readRefusal({ status, body }: NetworkAnswer, { bot_token }: Credentials): Explanation {
  const { code, message, errors, retry_after, global } = Refused.safeParse(body).data ?? {};
  // Without a bot, a global limit applies to our IP address. If Cloudflare blocks us, its answer names no
  // time.
  const isForAll = (global && !bot_token) || (!code && retry_after === undefined);
  return {
    code: String(code || status),
    message: [message, ...listIssues(errors)].filter(Boolean).join('; '),
    meaning: meanings.get(code) ?? (status === 401 ? 'revoked' : undefined),
    retryAfterMs: retry_after && Math.ceil(retry_after * 1_000),
    throttled: isForAll ? 'app' : 'account',
  };
}

/** `{embeds: {0: {title: {_errors: [{message}]}}}}` → `embeds.0.title: <message>` */
function listIssues(errors: unknown, path: string[] = []): string[] {
  if (typeof errors !== 'object' || errors === null || path.length > 8) return [];
  return Object.entries(errors).flatMap(([name, value]: [string, unknown]) => {
    if (name !== '_errors') return listIssues(value, [...path, name]);
    const issues = z.array(z.object({ message: z.string() })).safeParse(value).data ?? [];
    return issues.map(({ message }) => `${path.join('.') || 'body'}: ${message}`);
  });
}
