// Connects with a webhook's URL, or with a bot's token and a channel.
import { z } from 'zod';
import { pasted } from '../credential-fields.ts';
import type { Ask, OpenApi } from '../network-api.ts';
import type { Credentials, FormMethod, Grant } from '../platform.ts';
import { permanent } from '../results.ts';
import { asFieldError, wrongCredential } from '../wrong-credential.ts';

/** Of the URL, only the webhook's ID and token are used. */
const webhookUrl =
  /^https:\/\/(?:(?:canary|ptb)\.)?discord(?:app)?\.com\/api(?:\/v\d+)?\/webhooks\/(\d{15,20})\/([\w-]{20,200})\/?$/;

const ConnectInput = z
  .strictObject({
    webhook_url: pasted(webhookUrl, 'must be https://discord.com/api/webhooks/<id>/<token>').meta({
      title: 'Webhook URL',
      'x-secret': true,
      description: 'In Discord: channel settings → Integrations → Webhooks → Copy Webhook URL.',
    }),
    bot_token: pasted(/^[\x21-\x7e]{20,200}$/, 'must be the token of a bot').meta({
      title: 'Bot token',
      'x-secret': true,
      description:
        'At https://discord.com/developers/applications: your application → Bot → Reset Token.',
    }),
    channel_id: pasted(
      /^\d{15,20}$/,
      'must be the ID of a channel, such as 300000000000000001',
    ).meta({
      title: 'Channel ID',
      description: 'In Discord, with Developer Mode on: right-click the channel → Copy Channel ID.',
    }),
  })
  .partial()
  .check(({ value, issues }) => {
    const isBot = value.webhook_url === undefined;
    const message = isBot
      ? 'is required without webhook_url'
      : "can't be combined with webhook_url";
    for (const path of ['bot_token', 'channel_id'] as const) {
      if ((value[path] !== undefined) === isBot) continue;
      issues.push({ code: 'custom', path: [path], message, input: undefined });
    }
  })
  .meta({
    description: 'Paste the URL of a webhook. Or, for replies, a bot token and a channel ID.',
  }) as z.ZodType<Credentials>;

const User = z.object({ id: z.string(), username: z.string() });
/** A webhook or a channel. */
const Place = z.object({
  id: z.string(),
  type: z.int(),
  name: z.string().nullish(),
  guild_id: z.string().nullish(),
});

/** Text, direct message, voice, announcement, threads and stage. */
const messageChannels = [0, 1, 2, 5, 10, 11, 12, 13];

/** Path below the API's address. A webhook's path contains its token. */
export const placeOf = ({ webhook_id, webhook_token, channel_id }: Credentials) =>
  webhook_id ? `/webhooks/${webhook_id}/${webhook_token}` : `/channels/${channel_id}`;

export const createConnect = (open: OpenApi): FormMethod => ({
  kind: 'form',
  fields: ConnectInput,
  async run(given, signal): Promise<Grant> {
    const [, webhook_id, webhook_token = ''] = webhookUrl.exec(given['webhook_url'] ?? '') ?? [];
    const credentials: Credentials = webhook_id ? { webhook_id, webhook_token } : given;
    return readPlace(open(credentials, signal), credentials);
  },
});

/** Throws if messages can't be sent to the webhook or channel. */
export async function readPlace(ask: Ask, credentials: Credentials): Promise<Grant> {
  const bot = credentials['webhook_id'] ? undefined : (await ask('/users/@me', User)).body;
  const field = bot ? 'channel_id' : 'webhook_url';
  const { body: place } = await ask(placeOf(credentials), Place).catch(
    asFieldError(field, 'rejected'),
  );
  if (bot && !messageChannels.includes(place.type)) {
    throw wrongCredential(field, 'Choose a text channel or a thread, which takes messages.');
  }
  const guildId = place.guild_id ?? '@me';
  const account = {
    externalAccountId: bot ? place.id : `webhook:${place.id}`,
    accountName: [bot?.username, place.name].filter(Boolean).join(' in #') || 'Webhook',
    traits: bot ? { via: 'bot', guildId, botId: bot.id } : { via: 'webhook', guildId },
    problem: null,
  };
  return { credentials, ...permanent, accounts: [account] };
}
