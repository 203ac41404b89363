// Telegram for the contract test: one bot that posts to one public channel.
import { telegram as definition } from '../../../../schema/platforms/telegram.ts';
import { createImage } from '../../media/target-media.ts';
import { startFaultyServer } from '../faulty-server.ts';
import type { Switchboard } from '../faults.ts';
import type { NetworkSubject, RunningNetwork } from '../contract/subject.ts';
import { channel, createTelegramServer, type TelegramServer } from './server.ts';

export const telegram: NetworkSubject = {
  name: 'telegram',
  // A bot can't read a chat, and Telegram takes no idempotency key for a message.
  resolution: 'none',
  calls: { commit: 1 },
  textLimit: definition.rules.text.max,
  options: [
    {
      given: { parse_mode: 'HTML', disable_link_preview: true },
      arrives: { parse_mode: 'HTML', link_preview_options: { is_disabled: true } },
      caption: '<b>News</b>: https://example.com',
    },
    {
      given: { disable_notification: true, protect_content: true },
      arrives: { disable_notification: true, protect_content: true },
    },
    { given: { message_thread_id: 7 }, arrives: { message_thread_id: 7 }, isOwn: true },
  ],
  refusal: { platformCode: '400', message: 'Bad Request: CHAT_RESTRICTED' },
  start,
};

/** Every post has an image. */
export const telegramWithMedia: NetworkSubject = {
  ...telegram,
  title: 'telegram, with media',
  media: [await createImage()],
};

function start(switchboard: Switchboard): Promise<RunningNetwork> {
  return serveTelegram(createTelegramServer(), `@${channel.username}`, switchboard);
}

/** `chat`: the chat to connect. */
export async function serveTelegram(
  network: TelegramServer,
  chat: string,
  switchboard: Switchboard,
): Promise<RunningNetwork> {
  const server = await startFaultyServer(network, switchboard);
  const credentials = { bot_token: network.token, chat };
  return {
    env: { FANFARE_TELEGRAM_API_URL: server.url },
    credentials,
    wrongCredentials: [
      { field: 'bot_token', credentials: { ...credentials, bot_token: '110201543:wrong' } },
      { field: 'chat', credentials: { ...credentials, chat: '@nowhere_at_all' } },
    ],
    listPosts: () => network.listPosts(),
    listSecrets: () => [network.token],
    [Symbol.asyncDispose]: () => server.close(),
  };
}
