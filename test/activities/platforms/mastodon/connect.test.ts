// Connecting a Mastodon account: its server, its token, and what is wrong with either.
import { describe, expect, test } from 'vitest';
import type { ImportedTokens } from '../../../../activities/platforms/platform.ts';
import { createMastodon } from '../../../../activities/platforms/mastodon/index.ts';
import { ConnectInput } from '../../../../activities/platforms/mastodon/connect.ts';
import { connect, startMastodon } from '../../../support/networks/mastodon/connected.ts';
import { limitHeaders, newServerLimits } from '../../../support/networks/mastodon/server.ts';
import { createClient, resolvingTo, startHttp } from '../../../support/receivers/loopback.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

describe('the server', () => {
  test.each([
    'mastodon.example',
    ' Mastodon.Example ',
    'https://mastodon.example',
    'https://mastodon.example/@ada/109343827',
    'mastodon.example.',
    'mastodon.example..',
    '@ada@mastodon.example',
    'ada.b-c_1@mastodon.example',
  ])('is read from %o', (server) => {
    const parsed = ConnectInput.parse({ server, access_token: 'token' });
    expect(parsed['server']).toBe('https://mastodon.example');
  });

  test.each(['', 'two words', 'https://'])('is not read from %o', (server) => {
    const { error } = ConnectInput.safeParse({ server, access_token: 'token' });
    expect(error?.issues).toMatchObject([{ path: ['server'] }]);
  });

  test.each([
    'https://mastodon.example@evil.example',
    'https://ada:secret@mastodon.example',
    'ada:secret@mastodon.example',
    'ada%20b@mastodon.example',
    'ada b@mastodon.example',
  ])('is not read from %o, which has a user name or password', (server) => {
    const { error } = ConnectInput.safeParse({ server, access_token: 'token' });
    const message = 'must be the address of a server, without a user name or password';
    expect(error?.issues).toMatchObject([{ path: ['server'], message }]);
  });

  test('is part of the ID of the account, and gives its limits', async () => {
    const { network, credentials } = await startMastodon({
      domain: '127.0.0.1',
      maxCharacters: 5_000,
      charactersPerUrl: 30,
    });
    const { host } = new URL(credentials.server);
    expect(await connect(credentials)).toEqual({
      externalAccountId: `${network.accountId}@${host}`,
      accountName: `@ada@${host}`,
      pictureUrl: 'https://files.mastodon.test/avatars/ada.png',
      credentials,
      scope: ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'],
      tokenExpiresAt: null,
      traits: {
        max_characters: 5_000,
        characters_reserved_per_url: 30,
        max_media_attachments: 4,
        supported_mime_types: newServerLimits.supported_mime_types.join(' '),
        description_limit: 1_500,
        image_size_limit: 16_777_216,
        image_matrix_limit: 33_177_600,
        video_size_limit: 103_809_024,
        video_matrix_limit: 8_294_400,
        max_options: 4,
        max_characters_per_option: 50,
        min_expiration: 300,
        max_expiration: 2_629_746,
      },
    });
  });

  test('may report no limits of media and polls', async () => {
    const { credentials } = await startMastodon({ mediaLimits: null, pollLimits: null });
    const { traits } = await connect(credentials);
    expect(traits).toStrictEqual({ max_characters: 500, characters_reserved_per_url: 23 });
  });

  test.each([
    ['the domain above it', 'example.test', '@ada@example.test'],
    ['its own host where it claims another domain', 'mastodon.social', '@ada@social.example.test'],
  ])('names its accounts by %s', async (_what, domain, name) => {
    const { credentials } = await startMastodon({ domain });
    const { port } = new URL(credentials.server);
    const given = { ...credentials, server: `http://social.example.test:${port}` };
    const client = createClient({ lookup: resolvingTo('127.0.0.1') });
    const { accountName } = await connect(given, client);
    expect(accountName.replace(`:${port}`, '')).toBe(name);
  });

  test.each<[string, number, Record<string, string>, string]>([
    ['has no such page', 404, { 'content-type': 'text/html' }, '<h1>Not here</h1>'],
    ['answers with a page', 200, { 'content-type': 'text/html' }, '<h1>Welcome</h1>'],
    ['answers with another JSON', 200, {}, '{"domain":"mastodon.test","configuration":{}}'],
    ['redirects', 301, { location: 'https://mastodon.test/' }, ''],
    ['answers 10 MB', 200, {}, ' '.repeat(10 * 1024 * 1024)],
  ])('is refused when it %s', async (_what, status, headers, body) => {
    const server = await startHttp((_request, response) => {
      response.writeHead(status, headers).end(body);
    });
    const error = await refusal(connect({ server: server.url, access_token: 'secret' }));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: `127.0.0.1:${server.port} does not answer as a Mastodon server.`,
      options: { field: 'server', platformCode: 'not_mastodon' },
    });
  });

  test.each<[string, string, Parameters<typeof createClient>[0]]>([
    ['private address', 'https://10.0.0.1', { allowed: [] }],
    ['name of a private address', 'https://a.test', { lookup: resolvingTo('10.0.0.1') }],
    ['name without https:', 'http://a.test', { allowed: [], lookup: resolvingTo('192.0.2.1') }],
  ])('is refused as a %s', async (_what, server, options) => {
    const given = { server, access_token: 'secret' };
    const error = await refusal(connect(given, createClient(options)));
    expect(error).toMatchObject({ kind: 'rejected', options: { field: 'server' } });
  });

  test('is unavailable if it never answers', async () => {
    const server = await startHttp(() => undefined);
    const given = { server: server.url, access_token: 'secret' };
    const error = await refusal(connect(given, createClient({ fetchDeadlineMs: 50 })));
    expect(error).toMatchObject({ kind: 'unavailable', message: 'The network gave no answer.' });
  });

  test.each([
    [503, 'unavailable'],
    [429, 'rate_limited'],
  ] as const)('is temporarily unavailable if it answers %i', async (status, kind) => {
    const server = await startHttp((_request, response) => {
      response.writeHead(status, limitHeaders(0, 60_000)).end('{"error":"Later"}');
    });
    const error = await refusal(connect({ server: server.url, access_token: 'secret' }));
    expect(error.kind).toBe(kind);
  });
});

test.each(['ada@mastodon.social', 'ada\u202e', '../ada', ''])(
  'the user name %j, which no Mastodon server gives, is refused',
  async (username) => {
    const { url } = await startHttp((request, response) => {
      request.resume();
      const answer = request.url?.startsWith('/api/v2/instance')
        ? {
            domain: 'evil.example',
            configuration: { statuses: { max_characters: 500, characters_reserved_per_url: 23 } },
          }
        : { id: '1', username, scopes: ['read', 'write'] };
      response.end(JSON.stringify(answer));
    });
    const error = await refusal(connect({ server: new URL(url).origin, access_token: 'token' }));
    expect(error).toMatchObject({ kind: 'unavailable' });
  },
);

describe('the token', () => {
  test.each([
    ['broad scopes', ['read', 'write', 'push']],
    ['the profile for the account', ['profile', 'read:statuses', 'write:statuses', 'write:media']],
    ['scopes that an old server does not report', null],
  ])('is accepted with %s', async (_what, scopes) => {
    const { credentials } = await startMastodon({ scopes });
    expect((await connect(credentials)).scope).toEqual(scopes ?? []);
  });

  test('is accepted if the server has no route that reports scopes', async () => {
    const { credentials } = await startMastodon({ showsApps: false });
    expect(await connect(credentials)).toMatchObject({ scope: [] });
    const wrong = { ...credentials, access_token: 'wrong-token' };
    expect(await refusal(connect(wrong))).toMatchObject({ kind: 'reauthorize' });
  });

  test.each([
    [['read'], 'write:statuses, write:media'],
    [['read:accounts', 'write'], 'read:statuses'],
    [['write:statuses'], 'read:statuses, write:media'],
    [['read:statuses', 'write:statuses'], 'write:media'],
    [[], 'read:statuses, write:statuses, write:media'],
  ])('is refused if its scopes are %o, as it lacks %s', async (scopes, missing) => {
    const { credentials } = await startMastodon({ scopes });
    expect(await refusal(connect(credentials))).toMatchObject({
      kind: 'rejected',
      message: `The access token lacks ${missing}.`,
      options: { field: 'access_token', platformCode: 'scope_missing' },
    });
  });

  test.each<[string, string, boolean]>([
    ['invalid', 'The access token is invalid', false],
    ['revoked', 'The access token was revoked', true],
  ])('is refused in the words of the server if it is %s', async (_what, words, isRevoked) => {
    const { network, credentials } = await startMastodon();
    if (isRevoked) await network.revokeToken();
    else credentials.access_token = 'wrong-token';
    const error = await refusal(connect(credentials));
    // The API then names the field that is secret.
    expect(error).toMatchObject({ kind: 'reauthorize', options: { platformCode: '401' } });
    expect(error.options.field).toBeUndefined();
    expect(error.message).toContain(words);
  });

  test('is refused if it belongs to an application without a user', async () => {
    const { network, credentials } = await startMastodon();
    const words = 'This method requires an authenticated user';
    const server = await startHttp(async (request, response) => {
      const { url = '', headers } = request;
      const answer = url.includes('/accounts/')
        ? Response.json({ error: words }, { status: 422 })
        : await network.answer(
            new Request(`http://mastodon.test${url}`, {
              headers: { ...(headers.authorization && { authorization: headers.authorization }) },
            }),
          );
      response.writeHead(answer.status).end(await answer.text());
    });
    const error = await refusal(connect({ ...credentials, server: server.url }));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '422' } });
    expect(error.options.field).toBeUndefined();
    expect(error.message).toContain(words);
  });
});

describe('an imported token', () => {
  const signal = new AbortController().signal;
  const tokens = { refreshToken: null, expiresAt: null, scope: null };
  const importFrom = (
    instance: string | null,
    accessToken: string,
    given: Partial<ImportedTokens> = {},
  ) =>
    createMastodon(createClient()).importTokens!(
      { ...tokens, accessToken, instance, ...given },
      signal,
    );

  test('connects the account that the server names', async () => {
    const { network, credentials } = await startMastodon();
    const grant = await importFrom(credentials.server, network.token);
    const { host } = new URL(credentials.server);
    expect(grant.credentials).toEqual(credentials);
    expect(grant.accounts[0]!.externalAccountId).toBe(`${network.accountId}@${host}`);
  });

  test.each([
    [
      ['read', 'write'],
      ['read', 'write'],
    ],
    [null, ['write:media']],
  ])('keeps its expiry, and the scopes that its server reports: %j', async (reported, scope) => {
    const { network, credentials } = await startMastodon({ scopes: reported });
    const expiresAt = new Date('2050-01-01T00:00:00Z');
    const given = { expiresAt, scope: ['write:media'] };
    const grant = await importFrom(credentials.server, network.token, given);
    expect(grant).toMatchObject({ tokenExpiresAt: expiresAt, scope });
  });

  test('keeps its own scopes if the server has no route that reports them', async () => {
    const { network, credentials } = await startMastodon({ showsApps: false });
    const grant = await importFrom(credentials.server, network.token, { scope: ['write:media'] });
    expect(grant.scope).toEqual(['write:media']);
  });

  test('is refused by its server', async () => {
    const { credentials } = await startMastodon();
    const error = importFrom(credentials.server, 'another');
    await expect(error).rejects.toMatchObject({ kind: 'reauthorize' });
  });

  test.each([
    [null, 'is required', 'required'],
    ['two words', 'must be the address of a server', undefined],
  ])('needs a server, not %o', async (instance, message, platformCode) => {
    await expect(importFrom(instance, 'token')).rejects.toMatchObject({
      kind: 'rejected',
      message,
      options: { field: 'server', platformCode },
    });
  });
});
