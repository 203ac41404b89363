// Servers that lie during a login at their page: what each lie is answered with, and which server it reaches.
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createSafeFetch } from '../../../../activities/egress/client.ts';
import { createUrlGuard } from '../../../../activities/egress/url-guard.ts';
import { createBluesky } from '../../../../activities/platforms/bluesky/index.ts';
import { createPrivateJwk } from '../../../../activities/platforms/oauth/key-pairs.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startReceiver, type Reply } from '../../../support/receivers/receiver.ts';
import {
  consentMethodOf,
  loopbackCallback,
  registerApp,
} from '../../../support/servers/bluesky-consent.ts';
import { didDocument, handleRecord, txtOf } from '../../../support/servers/bluesky-identity.ts';

const servers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
const [directory, home, elsewhere] = servers;
const guarded = createSafeFetch({ guard: createUrlGuard({ allowPrivateCidrs: ['127.0.0.0/8'] }) });
afterAll(() => Promise.all([guarded.close(), ...servers.map((server) => server.close())]));

const { signal } = new AbortController();
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa';
const handle = 'ada.example.com';
const other = 'did:plc:eeeeeeeeeeeeeeeeeeeeeeee';

const bluesky = createBluesky({
  fetch: guarded.fetch,
  apiUrl: home.url,
  plcUrl: directory.url,
  lookUpTxt: txtOf(handleRecord({ did, handle })),
});
const method = consentMethodOf(bluesky);
const app = await registerApp(bluesky);
const request = { state: 'a-state', callbackUrl: loopbackCallback, productName: 'Acme', app };

const metadata = {
  issuer: home.url,
  authorization_endpoint: `${home.url}/authorize`,
  token_endpoint: `${home.url}/token`,
  pushed_authorization_request_endpoint: `${home.url}/par`,
  revocation_endpoint: `${home.url}/revoke`,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  code_challenge_methods_supported: ['S256'],
  dpop_signing_alg_values_supported: ['ES256'],
  scopes_supported: ['atproto', 'transition:generic'],
};
const tokens = {
  access_token: 'new-access',
  token_type: 'DPoP',
  expires_in: 3_600,
  refresh_token: 'new-refresh',
  scope: 'atproto transition:generic',
  sub: did,
};
const resource = '/.well-known/oauth-protected-resource';
const server = '/.well-known/oauth-authorization-server';

const json = (body: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const redirectTo = (location: string): Reply => ({ status: 302, headers: { location } });

/** Answers of the account's server. */
function answerWith(changes: Record<string, Reply> = {}): void {
  const answers: Record<string, Reply> = {
    [resource]: json({ resource: home.url, authorization_servers: [home.url] }),
    [server]: json(metadata),
    '/par': json({ request_uri: 'urn:request:1', expires_in: 60 }, 201),
    '/token': json(tokens),
    ...changes,
  };
  home.respondWith(({ path }) => answers[path] ?? { status: 404 });
}

beforeEach(() => {
  answerWith();
  directory.respondWith(({ path }) =>
    path === `/${did}`
      ? json(didDocument({ did, handle, pds: home.url }))
      : json(didDocument({ did: other, handle: 'eve.example.com', pds: elsewhere.url })),
  );
  elsewhere.respondWith(({ path }) =>
    path === resource
      ? json({ resource: elsewhere.url, authorization_servers: [elsewhere.url] })
      : { status: 404 },
  );
});

const begin = (inputs = { handle }) => method.begin({ ...request, inputs }, signal);

async function complete(inputs = { handle }) {
  const { flow } = await begin(inputs);
  const query = { code: 'the-code', state: request.state, iss: home.url };
  return method.complete(query, { ...request, inputs, flow }, signal);
}

const limits = '/xrpc/com.atproto.server.describeServer';

/** Requests to the server since the work began. */
async function countRequests(work: () => Promise<unknown>): Promise<string[]> {
  const before = home.requests.length;
  await work();
  return home.requests.slice(before).map(({ path }) => path);
}

test('an honest server connects the account, and the requests are signed with a DPoP key', async () => {
  const paths = await countRequests(async () => {
    const grant = await complete();
    expect(grant.accounts[0]!.externalAccountId).toBe(did);
    expect(JSON.stringify(grant)).not.toContain('the-code');
  });
  expect(paths).toEqual([resource, server, '/par', server, '/token', resource, limits]);
  const [pushed, exchanged] = home.requests.filter(({ headers }) => 'dpop' in headers).slice(-2);
  expect([pushed!.path, exchanged!.path]).toEqual(['/par', '/token']);
  expect(Object.fromEntries(new URLSearchParams(pushed!.text))).toMatchObject({
    login_hint: handle,
    scope: 'atproto transition:generic',
    redirect_uri: loopbackCallback,
    code_challenge_method: 'S256',
  });
});

describe('before the user is sent anywhere', () => {
  test.each<[string, Record<string, Reply>]>([
    ['names no authorization server', { [resource]: { status: 404 } }],
    ['answers with nonsense', { [resource]: { body: '<html>' } }],
    [
      'is another resource',
      { [resource]: json({ resource: 'https://a.example', authorization_servers: [home.url] }) },
    ],
    [
      'names two servers',
      {
        [resource]: json({ resource: home.url, authorization_servers: [home.url, elsewhere.url] }),
      },
    ],
    [
      'names a server with a path',
      { [resource]: json({ resource: home.url, authorization_servers: [`${home.url}/a`] }) },
    ],
    ['sends us to another address', { [resource]: redirectTo(`${elsewhere.url}${resource}`) }],
    ['has no metadata', { [server]: { status: 404 } }],
    ['has metadata of another issuer', { [server]: json({ ...metadata, issuer: elsewhere.url }) }],
    ['has metadata elsewhere', { [server]: redirectTo(`${elsewhere.url}${server}`) }],
    [
      'pushes no requests',
      { [server]: json({ ...metadata, pushed_authorization_request_endpoint: undefined }) },
    ],
    [
      'names no issuer in callbacks',
      { [server]: json({ ...metadata, authorization_response_iss_parameter_supported: false }) },
    ],
    [
      'has no profile of AT Protocol',
      { [server]: json({ ...metadata, scopes_supported: ['openid'] }) },
    ],
    [
      'has a page that is no web page',
      { [server]: json({ ...metadata, authorization_endpoint: 'javascript:alert(1)' }) },
    ],
  ])('a server that %s is refused', async (_, changes) => {
    answerWith(changes);
    const before = elsewhere.requests.length;
    const paths = await countRequests(async () => {
      const error = await refusal(begin());
      expect(error).toMatchObject({
        kind: 'rejected',
        options: { platformCode: 'oauth_not_supported', field: 'handle' },
      });
      expect(error.message).toContain('Use an app password instead.');
    });
    expect(paths).not.toContain('/par');
    expect(elsewhere.requests).toHaveLength(before);
  });

  test.each<[string, Record<string, Reply>, string]>([
    ['a server that fails', { [server]: { status: 503 } }, 'unavailable'],
    ['a request that fails', { '/par': { status: 500 } }, 'unavailable'],
    [
      'a request that is answered with nonsense',
      { '/par': { status: 201, body: '<html>' } },
      'unavailable',
    ],
    ['a request that is limited', { '/par': json({ error: 'slow_down' }, 429) }, 'rate_limited'],
    ['a client that is unknown', { '/par': json({ error: 'invalid_client' }, 401) }, 'rejected'],
    ['a nonce that is never right', { '/par': json({ error: 'use_dpop_nonce' }, 400) }, 'rejected'],
  ])('%s is reported', async (_, changes, kind) => {
    answerWith(changes);
    expect((await refusal(begin())).kind).toBe(kind);
  });

  test.each(['http://10.0.0.1', 'http://169.254.169.254'])(
    'a server at the private address %s is never reached',
    async (address) => {
      directory.respondWith(() => json(didDocument({ did, handle, pds: address })));
      expect(await refusal(begin())).toMatchObject({
        kind: 'rejected',
        options: { platformCode: 'blocked_address' },
      });
      directory.respondWith(() => json(didDocument({ did, handle, pds: home.url })));
      answerWith({
        [resource]: json({ resource: home.url, authorization_servers: [address] }),
      });
      expect((await refusal(begin())).options.platformCode).toBe('blocked_address');
      answerWith({
        [server]: json({ ...metadata, pushed_authorization_request_endpoint: `${address}/par` }),
      });
      expect((await refusal(begin())).options.platformCode).toBe('blocked_address');
    },
  );

  test.each(['ada', 'ada@example.com', 'ftp://example.com', 'http://example.com', ''])(
    'the input %j is refused',
    (input) => {
      expect(method.inputs!.safeParse({ handle: input }).success).toBe(false);
    },
  );

  test.each([
    [' @Ada.Example.com ', handle],
    ['https://Example.com/a?b', 'https://example.com'],
    [home.url, home.url],
    [did, did],
  ])('the input %j is %s', (input, read) => {
    expect(method.inputs!.parse({ handle: input })).toEqual({ handle: read });
  });
});

describe('after the consent', () => {
  /** The tokens that the server was asked to revoke since then. */
  const listRevoked = (before: number) =>
    home.requests
      .slice(before)
      .filter(({ path }) => path === '/revoke')
      .map(({ text }) => /token=[^&]*/.exec(text)?.[0]);

  test.each<[string, object, RegExp]>([
    ['of another account', { sub: other }, /another account than did:plc:aaaa/],
    ['of nobody', { sub: undefined }, /can't be used/],
    ['of no DID', { sub: 'ada' }, /can't be used/],
    ['that any thief could use', { token_type: 'Bearer' }, /can't be used/],
    ['without a refresh token', { refresh_token: undefined }, /returned no refresh token/],
    ['that may not post', { scope: 'atproto' }, /lacks these permissions: transition:generic/],
    ['without scopes', { scope: undefined }, /lacks these permissions: atproto/],
  ])('a login %s is refused', async (_, change, words) => {
    answerWith({ '/token': json({ ...tokens, ...change }) });
    const before = home.requests.length;
    const error = await refusal(complete());
    expect(error.kind).toBe('rejected');
    expect(listRevoked(before)).toEqual([
      `token=${'refresh_token' in change ? 'new-access' : 'new-refresh'}`,
    ]);
    expect(error.message).toMatch(words);
    expect(error.message).not.toMatch(/new-access|new-refresh|the-code/);
  });

  test('a server that answers for an account of another server is refused', async () => {
    answerWith({ '/token': json({ ...tokens, sub: other }) });
    const before = home.requests.length;
    const error = await refusal(complete({ handle: home.url }));
    expect(listRevoked(before)).toEqual(['token=new-refresh']);
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'identity_mismatch' },
    });
    expect(error.message).toContain(other);
  });

  test('an account that moved to another server meanwhile is refused', async () => {
    const { flow } = await begin();
    directory.respondWith(() => json(didDocument({ did, handle, pds: elsewhere.url })));
    const query = { code: 'the-code', state: request.state, iss: home.url };
    const error = await refusal(
      method.complete(query, { ...request, inputs: { handle }, flow }, signal),
    );
    expect(error.options.platformCode).toBe('identity_mismatch');
  });

  test.each<[string, Reply, string]>([
    ['a used code', json({ error: 'invalid_grant' }, 400), 'rejected'],
    ['an error', { status: 503 }, 'unavailable'],
    ['nonsense', { body: '{' }, 'unavailable'],
  ])('%s is reported', async (_, reply, kind) => {
    answerWith({ '/token': reply });
    expect((await refusal(complete())).kind).toBe(kind);
  });
});

describe('a refresh', () => {
  const refresh = async () => {
    const credentials = {
      service: home.url,
      did,
      handle,
      issuer: home.url,
      dpop_jwk: await createPrivateJwk(),
      access_token: 'old-access',
      refresh_token: 'old-refresh',
    };
    return bluesky.refresh!({ credentials, app }, signal);
  };

  test('keeps the old refresh token if the server sends no new one', async () => {
    answerWith({ '/token': json({ ...tokens, refresh_token: undefined }) });
    const { credentials } = await refresh();
    expect(credentials).toMatchObject({ access_token: 'new-access', refresh_token: 'old-refresh' });
  });

  test.each<[string, Record<string, Reply>, string]>([
    ['a login that ended', { '/token': json({ error: 'invalid_grant' }, 400) }, 'reauthorize'],
    [
      'a client that is unknown',
      { '/token': json({ error: 'invalid_client' }, 401) },
      'unavailable',
    ],
    [
      'a nonce that is never right',
      { '/token': json({ error: 'use_dpop_nonce' }, 400) },
      'unavailable',
    ],
    ['too many requests', { '/token': { status: 429 } }, 'rate_limited'],
    ['an error', { '/token': { status: 503 } }, 'unknown_outcome'],
    ['nonsense', { '/token': { body: '<html>' } }, 'unknown_outcome'],
    ['a lost connection', { '/token': 'reset' }, 'unknown_outcome'],
    // Before the refresh token is used.
    ['a server that fails', { [server]: { status: 503 } }, 'unavailable'],
    ['a server that is misconfigured', { [server]: { status: 404 } }, 'unavailable'],
    ['another account', { '/token': json({ ...tokens, sub: other }) }, 'rejected'],
  ])('fails if it meets %s', async (_, changes, kind) => {
    answerWith(changes);
    const error = await refusal(refresh());
    expect(error.kind).toBe(kind);
    expect(error.message).not.toMatch(/old-refresh|old-access|new-/);
  });

  test('ends the login of an account that moved to another server, without using the old token', async () => {
    directory.respondWith(() => json(didDocument({ did, handle, pds: elsewhere.url })));
    const paths = await countRequests(async () => {
      expect((await refusal(refresh())).options.platformCode).toBe('identity_mismatch');
    });
    expect(paths).toEqual([]);
  });

  test('is tried again while the new server does not confirm that it serves the account', async () => {
    directory.respondWith(() => json(didDocument({ did, handle, pds: elsewhere.url })));
    elsewhere.respondWith(() => ({ status: 404 }));
    expect((await refusal(refresh())).kind).toBe('unavailable');
  });

  test('follows the account to another PDS of the same server', async () => {
    directory.respondWith(() => json(didDocument({ did, handle, pds: elsewhere.url })));
    elsewhere.respondWith(() =>
      json({ resource: elsewhere.url, authorization_servers: [home.url] }),
    );
    expect((await refresh()).credentials).toMatchObject({ service: elsewhere.url });
  });

  test('keeps working while the directory is down', async () => {
    directory.respondWith(() => ({ status: 503 }));
    expect((await refresh()).credentials).toMatchObject({ service: home.url, handle });
  });
});
