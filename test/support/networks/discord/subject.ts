// Discord for the contract test: once with a bot, once with a webhook.
import type { Credentials } from '../../../../activities/platforms/platform.ts';
import type { NetworkSubject } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { createImage } from '../../media/target-media.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { botCredentials, webhookCredentials } from './connected.ts';
import { createDiscordServer, type DiscordServer } from './server.ts';

const embeds = [
  {
    title: 'Launch',
    url: 'https://example.com',
    color: 0x58_65_f2,
    fields: [{ name: 'a', value: 'b' }],
  },
];
const shared = {
  name: 'discord',
  isUnavailableSafe: true,
  textLimit: 2_000,
  refusedOptions: [
    { given: { embeds: [{ title: 'a'.repeat(257) }] }, path: 'embeds[0].title', code: 'too_big' },
    { given: { allowed_mentions: ['users', 'users'] }, path: 'allowed_mentions', code: 'invalid' },
    { given: { username: 'My Discord' }, path: 'username', code: 'invalid' },
  ],
  refusal: { platformCode: '200000', message: 'Message was blocked by automatic moderation' },
} as const;
const messageOptions = [
  { given: { embeds }, arrives: { embeds, allowed_mentions: { parse: ['users'] } } },
  {
    given: { allowed_mentions: ['roles'], suppress_embeds: true },
    arrives: { allowed_mentions: { parse: ['roles'] }, flags: 4 },
  },
];

export const discordBot: NetworkSubject = {
  ...shared,
  title: 'discord with a bot',
  resolution: 'key',
  calls: { commit: 1, reconcile: 2 },
  options: messageOptions,
  otherOptions: ['username', 'thread_id'],
  start: (switchboard) =>
    start(switchboard, botCredentials, (discord) => [
      {
        field: 'bot_token',
        credentials: { ...botCredentials(discord), bot_token: 'wrong-token-of-a-bot-0123456789' },
      },
      {
        field: 'channel_id',
        credentials: { ...botCredentials(discord), channel_id: '399999999999999999' },
      },
    ]),
};

const thread_id = '300000000000000010';

export const discordWebhook: NetworkSubject = {
  ...shared,
  title: 'discord with a webhook',
  resolution: 'none',
  calls: { commit: 1 },
  options: [
    ...messageOptions,
    {
      given: { username: 'Ada' },
      arrives: { username: 'Ada' },
    },
    { given: { thread_id }, arrives: { channel_id: thread_id }, isOwn: true },
  ],
  start: (switchboard) =>
    start(switchboard, webhookCredentials, (discord) => [
      { field: 'webhook_url', credentials: { webhook_url: `${discord.webhookUrl()}x` } },
      { field: 'webhook_url', credentials: { webhook_url: 'https://example.com/webhooks/1/x' } },
    ]),
};

const media = [await createImage()];
export const discordBotWithMedia: NetworkSubject = {
  ...discordBot,
  title: 'discord with a bot, with media',
  media,
};
export const discordWebhookWithMedia: NetworkSubject = {
  ...discordWebhook,
  title: 'discord with a webhook, with media',
  media,
};

type Wrong = { field: string; credentials: Credentials }[];

async function start(
  switchboard: Switchboard,
  credentialsOf: (discord: DiscordServer) => Credentials,
  wrong: (discord: DiscordServer) => Wrong,
) {
  const discord = createDiscordServer();
  discord.addChannel(thread_id, 11, { name: 'launch' });
  const server = await startFaultyServer(discord, switchboard);
  return {
    env: { FANFARE_DISCORD_API_URL: `${server.url}/api/v10` },
    credentials: credentialsOf(discord),
    wrongCredentials: wrong(discord),
    listPosts: discord.listPosts,
    listSecrets: discord.listSecrets,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
