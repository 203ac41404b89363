// A connector of Discord with one account connected, and the simulator behind it.
import { createDiscord } from '../../../../activities/platforms/discord/index.ts';
import type { Credentials, Target } from '../../../../activities/platforms/platform.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createDiscordServer, type DiscordServer } from './server.ts';
import { targetOf } from '../target.ts';
import { formOf } from '../connection.ts';

export const never = new AbortController().signal;

export async function startDiscord() {
  const discord = createDiscordServer();
  /** Answers in place of the simulator's own. */
  const scripted: (Response | 'lost')[] = [];
  const seen: Request[] = [];
  const answer = async (request: Request) => {
    seen.push(request.clone());
    const next = scripted.shift();
    if (next === 'lost') {
      await discord.answer(request);
      throw new Error('The answer is lost.');
    }
    return next ?? discord.answer(request);
  };
  const http = await startFaultyServer({ ...discord, answer }, createSwitchboard());
  const connector = createDiscord({ fetch, apiUrl: `${http.url}/api/v10` });
  return {
    discord,
    connector,
    scripted,
    seen,
    connect: (given: Credentials) =>
      formOf(connector).run(formOf(connector).credentials.parse(given), never),
    [Symbol.asyncDispose]: () => http.close(),
  };
}

export const botCredentials = ({ botToken, channelId }: DiscordServer): Credentials => ({
  bot_token: botToken,
  channel_id: channelId,
});

export const webhookCredentials = (discord: DiscordServer): Credentials => ({
  webhook_url: discord.webhookUrl(),
});

export type Via = 'bot' | 'webhook';

export async function connected(via: Via) {
  const started = await startDiscord();
  const { discord, connector } = started;
  const given = via === 'bot' ? botCredentials(discord) : webhookCredentials(discord);
  const connection = await started.connect(given);
  const target = (caption: string, change: Partial<Target> = {}) =>
    targetOf(connection, { caption, ...change });
  const post = (caption: string, change: Partial<Target> = {}) =>
    connector.commit(target(caption, change), never);
  return { ...started, connection, target, post };
}
