// Discord: messages in one channel, by a webhook or by a bot.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { discord } from '../../../schema/platforms/discord.ts';
import { createApi, type Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch, Platform, ReconcileOutcome, Target } from '../platform.ts';
import { createConnect, placeOf } from './connect.ts';
import { readRefusal } from './errors.ts';

const Message = z.object({
  id: z.string(),
  channel_id: z.string(),
  content: z.string(),
  author: z.object({ id: z.string() }),
  nonce: z.union([z.string(), z.number()]).nullish(),
  message_reference: z.object({ message_id: z.string().nullish() }).nullish(),
});
type Message = z.infer<typeof Message>;
const Channel = z.object({ last_message_id: z.string().regex(/^\d+$/).nullish() });

/** The most that Discord lists at once. */
const pageSize = 100;
/** How far the clocks may differ. */
const clockErrorMs = 5_000;
const discordEpochMs = 1_420_070_400_000;

/** @see https://docs.discord.com/developers/reference#user-agent */
const userAgent = { 'user-agent': `DiscordBot (Fanfare, ${packageJson.version})` };

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
    ...discord,
    connect: createConnect(open),

    async commit(target, signal) {
      const { path, json } = toCall(target);
      const call = { kind: 'commit', json } as const;
      const { body, throttle } = await open(target.credentials, signal)(path, Message, call);
      return { ...toPublished(target, body), throttle };
    },

    async reconcile(target, signal) {
      // Nothing lists a webhook's messages.
      if (target.credentials['webhook_id']) return { outcome: 'unknown' };
      return findMessage(open(target.credentials, signal), target);
    },
  };
}

/** @see https://docs.discord.com/developers/resources/message#create-message */
function toCall(target: Target) {
  const { credentials, caption, platformOptions, replyTo } = target;
  const { suppress_embeds, allowed_mentions = ['users'], thread_id, ...options } = platformOptions;
  const content = {
    ...options,
    content: caption,
    // Without it, a bot's message notifies @everyone.
    allowed_mentions: { parse: allowed_mentions },
    // https://docs.discord.com/developers/resources/message#message-object-message-flags
    flags: suppress_embeds === true ? 1 << 2 : undefined,
  };
  // https://docs.discord.com/developers/resources/webhook#execute-webhook
  if (credentials['webhook_id']) {
    const thread = thread_id === undefined ? '' : `&thread_id=${thread_id as string}`;
    return { path: `${placeOf(credentials)}?wait=true${thread}`, json: content };
  }
  if ('username' in platformOptions || 'thread_id' in platformOptions) {
    const message = 'Discord takes username and thread_id from webhooks only, not from bots.';
    throw new PlatformError('rejected', message, { platformCode: 'webhook_only_option' });
  }
  const message_reference = replyTo === null ? undefined : { message_id: replyTo };
  const json = { ...content, nonce: nonceOf(target), enforce_nonce: true, message_reference };
  return { path: `${placeOf(credentials)}/messages`, json };
}

/** At most 25 characters. */
const nonceOf = ({ resultId }: Target) =>
  createHash('sha256').update(resultId).digest('base64url').slice(0, 25);

function toPublished({ traits }: Target, { id, channel_id }: Message) {
  const url = `https://discord.com/channels/${String(traits['guildId'])}/${channel_id}/${id}`;
  return { outcome: 'published', published: { externalId: id, url } } as const;
}

/** `unknown`: the bot may not read the history, or too much was posted since. */
async function findMessage(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const channel = placeOf(target.credentials);
  // https://docs.discord.com/developers/reference#snowflakes
  const start = BigInt(target.dueAt.getTime() - clockErrorMs - discordEpochMs) << 22n;
  const { last_message_id } = (await ask(channel, Channel)).body;
  const path = `${channel}/messages?after=${start}&limit=${pageSize}`;
  const { body: messages } = await ask(path, z.array(Message));
  const found = messages.find((message) => isSame(message, target));
  if (found) return toPublished(target, found);
  // A bot that may not read the history gets an empty list.
  const isHidden = messages.length === 0 && BigInt(last_message_id ?? 0) > start;
  return { outcome: isHidden || messages.length === pageSize ? 'unknown' : 'absent' };
}

/** By the nonce where Discord shows it; otherwise by the author, the text and the message it answers. */
function isSame(message: Message, target: Target): boolean {
  if (message.author.id !== target.traits['botId']) return false;
  if (message.nonce) return message.nonce === nonceOf(target);
  const answered = message.message_reference?.message_id ?? null;
  return answered === target.replyTo && plain(message.content) === plain(target.caption);
}

/** Discord trims texts and drops characters that don't show. */
const plain = (text: string) => text.replaceAll(/[\s\p{C}]/gu, '');
