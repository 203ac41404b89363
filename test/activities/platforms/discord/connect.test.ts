// Connecting to Discord by a webhook's URL, or by a bot's token and a channel.
import { describe, expect, test } from 'vitest';
import { formPage } from '../../../../api/connect/form.ts';
import { en } from '../../../../api/http/pages/texts/en.ts';
import { createDiscord } from '../../../../activities/platforms/discord/index.ts';
import { createClient, startHttp } from '../../../support/receivers/loopback.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import {
  botCredentials,
  never,
  startDiscord,
  webhookCredentials,
} from '../../../support/networks/discord/connected.ts';
import { formOf } from '../../../support/networks/connection.ts';

type Answer = Parameters<typeof startHttp>[0];

const connect = formOf(createDiscord({ fetch, apiUrl: 'http://127.0.0.1:2/api/v10' }));

describe('credentials', () => {
  const id = '223704706495545344';
  const token = 'token-of-the-webhook-for-tests-0123456789';
  const bot_token = 'token.of-the-bot.for-tests-0123456789';

  test.each([
    `https://discord.com/api/webhooks/${id}/${token}`,
    `https://discordapp.com/api/webhooks/${id}/${token}`,
    `https://canary.discord.com/api/webhooks/${id}/${token}`,
    `https://ptb.discord.com/api/v9/webhooks/${id}/${token}`,
    `https://discord.com/api/v10/webhooks/${id}/${token}/`,
  ])('accept the webhook URL %s', (webhook_url) => {
    expect(connect.credentials.safeParse({ webhook_url }).success).toBe(true);
  });

  test.each([
    `http://discord.com/api/webhooks/${id}/${token}`,
    `https://discord.com.evil.example/api/webhooks/${id}/${token}`,
    `https://evil.example/?https://discord.com/api/webhooks/${id}/${token}`,
    `https://user@discord.com/api/webhooks/${id}/${token}`,
    `https://discord.com/api/webhooks/${id}/${token}/slack`,
    `https://discord.com/api/webhooks/${id}/${token}?thread_id=1`,
    `https://discord.com/api/webhooks/${id}/../../users`,
    `https://discord.com/api/webhooks/${id}`,
    'nonsense',
  ])('refuse the webhook URL %s, and do not repeat it', (webhook_url) => {
    const { error } = connect.credentials.safeParse({ webhook_url });
    expect(error!.issues).toMatchObject([{ path: ['webhook_url'] }]);
    expect(JSON.stringify(error!.issues)).not.toContain(token);
  });

  test.each([
    [{ bot_token }, ['channel_id']],
    [{ channel_id: id }, ['bot_token']],
    [{ webhook_url: `https://discord.com/api/webhooks/${id}/${token}`, bot_token }, ['bot_token']],
    [
      { webhook_url: `https://discord.com/api/webhooks/${id}/${token}`, channel_id: id },
      ['channel_id'],
    ],
    [{ bot_token, channel_id: '#news' }, ['channel_id']],
    [{ bot_token: `${bot_token}\r\nx: y`, channel_id: id }, ['bot_token']],
    [{ bot_token, channel_id: id, server: 'x' }, []],
  ])('have one issue, at the missing or wrong field: %j', (given, path) => {
    const { error } = connect.credentials.safeParse(given);
    expect(error!.issues.map((issue) => issue.path)).toEqual([path]);
  });

  test('need a webhook, or a bot and its channel', () => {
    const { error } = connect.credentials.safeParse({});
    expect(error!.issues).toMatchObject([
      { path: ['bot_token'], message: 'is required without webhook_url' },
      { path: ['channel_id'], message: 'is required without webhook_url' },
    ]);
  });
});

describe('connect with a webhook', () => {
  test('has a form that hides the URL, and never repeats it', async () => {
    await using started = await startDiscord();
    const { discord, connector: platform } = started;
    const page = await formPage({
      platform,
      method: platform.connect[0]!,
      session: {
        id: 'cs_1',
        texts: en,
        network: 'Discord',
        brand: { name: 'Shop', color: null, logo: null },
        accountName: null,
        connected: [],
        returnUrl: null,
      },
      state: 's',
      values: { ...webhookCredentials(discord), channel_id: '1' },
    });
    const html = await page.text();
    expect(html).toMatch(/<input[^>]+name="webhook_url"[^>]+type="password"/);
    expect(html).not.toContain(discord.webhook.token);
    expect(html).toMatch(/<input[^>]+name="channel_id"[^>]+type="text"[^>]+value="1"/);
  });

  test('keeps the id and the token of the URL, and calls the configured API', async () => {
    await using started = await startDiscord();
    const { discord, connect: connectWith, seen } = started;
    const { id, token } = discord.webhook;
    const webhook_url = discord.webhookUrl('canary.discord.com/api/v9');
    expect(await connectWith({ webhook_url })).toEqual({
      externalAccountId: `webhook:${id}`,
      accountName: 'Announcements',
      credentials: { webhook_id: id, webhook_token: token },
      scope: [],
      tokenExpiresAt: null,
      traits: { via: 'webhook', guildId: discord.guildId },
    });
    expect(seen.map(({ method, url }) => [method, new URL(url).pathname])).toEqual([
      ['GET', `/api/v10/webhooks/${id}/${token}`],
    ]);
  });

  test.each([
    ['a wrong token', (url: string) => `${url}x`, '50027'],
    [
      'an unknown id',
      (url: string) => url.replace('223704706495545344', '99999999999999999'),
      '10015',
    ],
  ])('refuses %s, and does not repeat the token', async (_, change, platformCode) => {
    await using started = await startDiscord();
    const webhook_url = change(started.discord.webhookUrl());
    const error = await refusal(started.connect({ webhook_url }));
    expect(error).toMatchObject({ kind: 'reauthorize', options: { platformCode } });
    expect(`${error.message} ${JSON.stringify(error.options)}`).not.toContain(
      started.discord.webhook.token,
    );
  });

  test('names the field of the webhook if Discord refuses for any other reason', async () => {
    await using started = await startDiscord();
    const { discord, scripted } = started;
    scripted.push(Response.json({ message: 'Missing Access', code: 50_001 }, { status: 403 }));
    expect(await refusal(started.connect(webhookCredentials(discord)))).toMatchObject({
      kind: 'rejected',
      options: { field: 'webhook_url', platformCode: '50001' },
    });
  });
});

describe('connect with a bot', () => {
  test('returns the channel as the account, with the names of the bot and the channel', async () => {
    await using started = await startDiscord();
    const { discord, connect: connectWith } = started;
    expect(await connectWith(botCredentials(discord))).toEqual({
      externalAccountId: discord.channelId,
      accountName: 'fanfare in #news',
      credentials: { bot_token: discord.botToken, channel_id: discord.channelId },
      scope: [],
      tokenExpiresAt: null,
      traits: { via: 'bot', guildId: discord.guildId, botId: discord.bot.id },
    });
  });

  test('refuses a wrong token, and does not repeat it', async () => {
    await using started = await startDiscord();
    const given = {
      ...botCredentials(started.discord),
      bot_token: 'AAAAAAAAAAAAAAAA.BBBB.CCCCCCCC',
    };
    const error = await refusal(started.connect(given));
    // The error names no field, so the API names the secret one.
    expect(error).toMatchObject({ kind: 'reauthorize', options: { platformCode: '401' } });
    expect(error.options.field).toBeUndefined();
    expect(`${error.message} ${JSON.stringify(error.options)}`).not.toContain(given.bot_token);
  });

  test.each([
    ['an unknown channel', '399999999999999999', '10003'],
    ['a channel that the bot cannot see', '300000000000000002', '50001'],
    ['a category', '300000000000000003', undefined],
    ['a forum', '300000000000000004', undefined],
  ])('refuses %s, and names the field', async (_, channel_id, platformCode) => {
    await using started = await startDiscord();
    const { discord } = started;
    discord.addChannel('300000000000000002', 0, { canView: false });
    discord.addChannel('300000000000000003', 4);
    discord.addChannel('300000000000000004', 15);
    const error = await refusal(started.connect({ ...botCredentials(discord), channel_id }));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { field: 'channel_id', ...(platformCode && { platformCode }) },
    });
  });

  test('accepts a thread and a direct message', async () => {
    await using started = await startDiscord();
    const { discord } = started;
    const thread = discord.addChannel('300000000000000005', 11, { name: 'launch' });
    const inChannel = (channel_id: string) =>
      started.connect({ ...botCredentials(discord), channel_id });
    expect(await inChannel(thread)).toMatchObject({ accountName: 'fanfare in #launch' });
    const direct = '300000000000000006';
    discord.channels.set(direct, { ...discord.channels.get(thread)!, id: direct, type: 1 });
    delete discord.channels.get(direct)!.name;
    delete discord.channels.get(direct)!.guild_id;
    expect(await inChannel(direct)).toMatchObject({
      accountName: 'fanfare',
      traits: { guildId: '@me' },
    });
  });
});

describe('a server other than Discord', () => {
  test.each([
    ['nonsense', () => new Response('<html>Hello</html>')],
    ['another document', () => Response.json({ hello: 'there' })],
    [
      'a redirect',
      () => new Response(null, { status: 302, headers: { location: 'http://10.0.0.1/' } }),
    ],
    ['trouble', () => new Response('Bad Gateway', { status: 502 })],
  ])('is unavailable when it answers %s', async (_, answer) => {
    await using started = await startDiscord();
    started.scripted.push(answer());
    const error = await refusal(started.connect(botCredentials(started.discord)));
    expect(error).toMatchObject({ kind: 'unavailable' });
  });

  test('is unavailable when nobody listens there', async () => {
    await using started = await startDiscord();
    const error = await refusal(connect.run(botCredentials(started.discord), never));
    expect(error).toMatchObject({
      kind: 'unavailable',
      message: '127.0.0.1:2 could not be reached.',
    });
  });

  test.each([
    ['10 MB', (_, response) => response.end('x'.repeat(10_000_000))],
    ['never', () => undefined],
  ] satisfies [string, Answer][])('is unavailable when it answers %s', async (_, answer) => {
    const { port } = await startHttp(answer);
    const { fetch } = createClient({ fetchDeadlineMs: 300 });
    const discord = createDiscord({ fetch, apiUrl: `http://127.0.0.1:${port}/api/v10` });
    const given = { bot_token: 'a-token-of-a-bot-0123456789', channel_id: '300000000000000001' };
    expect(await refusal(formOf(discord).run(given, never))).toMatchObject({
      kind: 'unavailable',
      message: 'The network gave no answer.',
    });
  });
});
