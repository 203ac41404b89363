// Connecting: by a webhook's URL, or by a bot's token and a channel.
import { z } from 'zod';
import { PlatformError } from '../platform-error.ts';
import type { Connection, Credentials } from '../platform.ts';
import type { Send } from './client.ts';

/** Only the id and the token are taken from it. */
const webhookUrl =
  /^https:\/\/(?:(?:canary|ptb)\.)?discord(?:app)?\.com\/api(?:\/v\d+)?\/webhooks\/(\d{15,20})\/([\w-]{20,200})\/?$/;

const field = (pattern: RegExp, error: string, title: string, description: string) =>
  z.string().regex(pattern, error).optional().meta({ title, description });

export const ConnectInput = z
  .strictObject({
    webhook_url: field(
      webhookUrl,
      'must be https://discord.com/api/webhooks/<id>/<token>',
      'Webhook URL',
      'In Discord: channel settings, Integrations, Webhooks, Copy Webhook URL.',
    ),
    bot_token: field(
      /^[\x21-\x7e]{20,200}$/,
      'must be the token of a bot',
      'Bot token',
      'Instead of a webhook. At discord.com/developers/applications: your application, Bot, Reset Token.',
    ),
    channel_id: field(
      /^\d{15,20}$/,
      'must be the ID of a channel',
      'Channel ID',
      'With a bot token. In Discord, with Developer Mode on: right-click the channel, Copy Channel ID.',
    ),
  })
  .check(({ value, issues }) => {
    const given = Object.entries(value).flatMap(([name, text]) => (text === undefined ? [] : name));
    const [field, message] = wrongCombinations[given.toSorted().join()] ?? [];
    if (field) issues.push({ code: 'custom', path: [field], message, input: undefined });
  })
  .meta({
    description:
      'Paste the URL of a webhook, which posts to one channel. Or paste the token of a bot and the ID of a channel, for replies and threads.',
  }) as z.ZodType<Credentials>;

const wrongCombinations: Record<string, [field: string, message: string]> = {
  '': ['webhook_url', 'is required, or bot_token and channel_id'],
  bot_token: ['channel_id', 'is required with bot_token'],
  channel_id: ['bot_token', 'is required with channel_id'],
  'bot_token,webhook_url': ['bot_token', "can't be combined with webhook_url"],
  'channel_id,webhook_url': ['channel_id', "can't be combined with webhook_url"],
  'bot_token,channel_id,webhook_url': ['webhook_url', "can't be combined with bot_token"],
};

const User = z.object({ id: z.string(), username: z.string() });
/** A webhook or a channel. */
const Place = z.object({
  id: z.string(),
  type: z.int(),
  name: z.string().nullish(),
  guild_id: z.string().nullish(),
});

const incomingWebhook = 1;
/** Text, direct message, voice, announcement, threads and stage. */
const messageChannels = [0, 1, 2, 5, 10, 11, 12, 13];

export function connect(send: Send, given: Credentials, signal: AbortSignal): Promise<Connection> {
  const { webhook_url } = given;
  if (webhook_url === undefined) return connectBot(send, given, signal);
  return connectWebhook(send, webhook_url, signal);
}

async function connectWebhook(send: Send, url: string, signal: AbortSignal): Promise<Connection> {
  const [, webhook_id = '', webhook_token = ''] = webhookUrl.exec(url) ?? [];
  const credentials = { webhook_id, webhook_token };
  const path = `/webhooks/${webhook_id}/${webhook_token}`;
  const field = 'webhook_url';
  const call = { kind: 'other', path, credentials, field, answer: Place, signal } as const;
  const { id, type, name, guild_id } = (await send(call)).body;
  if (id !== webhook_id || type !== incomingWebhook) {
    throw new PlatformError('rejected', 'Discord has no incoming webhook there.', { field });
  }
  return {
    externalAccountId: `webhook:${id}`,
    accountName: name || 'Webhook',
    credentials,
    scope: ['webhook.incoming'],
    tokenExpiresAt: null,
    traits: { via: 'webhook', guildId: guild_id ?? '@me' },
  };
}

async function connectBot(
  send: Send,
  { bot_token = '', channel_id = '' }: Credentials,
  signal: AbortSignal,
): Promise<Connection> {
  const credentials = { bot_token, channel_id };
  const call = { kind: 'other', credentials, signal } as const;
  const path = '/users/@me';
  const { body: bot } = await send({ ...call, path, field: 'bot_token', answer: User });
  const field = 'channel_id';
  const channel = { ...call, path: `/channels/${channel_id}`, field, answer: Place };
  const { id, type, name, guild_id } = (await send(channel)).body;
  if (id !== channel_id || !messageChannels.includes(type)) {
    const message = 'This channel takes no messages. Choose a text channel or a thread.';
    throw new PlatformError('rejected', message, { field });
  }
  return {
    externalAccountId: id,
    accountName: name ? `${bot.username} in #${name}` : bot.username,
    credentials,
    scope: ['bot'],
    tokenExpiresAt: null,
    traits: { via: 'bot', guildId: guild_id ?? '@me', botId: bot.id },
  };
}
