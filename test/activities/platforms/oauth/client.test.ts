// What each answer of a token endpoint means for the user, the login and the retry.
import { describe, expect, test } from 'vitest';
import { createOAuth } from '../../../../activities/platforms/oauth/client.ts';
import type { OAuthNetwork, Tokens } from '../../../../activities/platforms/oauth/request.ts';
import { createPrivateJwk } from '../../../../activities/platforms/oauth/key-pairs.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';

const anyApp = { id: 'app_1', clientId: 'my-app', clientSecret: 'app-secret' };
const secrets = { access_token: 'old-access', refresh_token: 'old-refresh' };
const tokens = { access_token: 'new', token_type: 'bearer', expires_in: 60 };
const { signal } = new AbortController();

type Answer = () => Response;

/** A network whose token endpoint gives this answer, and the requests that it got. */
function openOAuth(answer: Answer, settings: Partial<OAuthNetwork> = {}, app = anyApp) {
  const requests: Request[] = [];
  const fetch = async (url: string, init?: RequestInit) => {
    requests.push(new Request(url, init));
    return answer();
  };
  const oauth = createOAuth(fetch, {
    network: 'Example',
    authorizationEndpoint: 'https://example.com/authorize?theme=light',
    tokenEndpoint: 'https://example.com/token',
    revocationEndpoint: 'https://example.com/revoke',
    clientAuth: 'basic',
    scopes: ['read', 'write'],
    ...settings,
  });
  const asked = { state: 'state', callbackUrl: 'https://us.example/callback', productName: 'Acme' };
  const request = { ...asked, inputs: {}, app };
  const flow = { verifier: 'v'.repeat(43) };
  return {
    requests,
    begin: () => oauth.begin(request),
    complete: (
      query: Record<string, string> = { code: 'my-code', state: 'state' },
      use = (login: Tokens) => Promise.resolve(login),
    ) => oauth.complete(query, { ...request, flow }, use, signal),
    refresh: () => oauth.refresh({ credentials: secrets, app }, signal),
    revoke: () => oauth.revoke({ credentials: secrets, app }, signal),
    isKnown: () => oauth.isKnown(app, signal),
  };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => {
  return () => Response.json(body, { status, headers });
};
const refusal = (error: string, status = 400) =>
  json({ error, error_description: 'Because of old-refresh.' }, status);

async function errorOf(call: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (error instanceof PlatformError) return error;
  throw new Error('No PlatformError was thrown.', { cause: error });
}

test('the consent page gets a challenge, and the exchange gets its verifier', async () => {
  const oauth = openOAuth(json(tokens));
  const { url, flow } = await oauth.begin();
  const query = Object.fromEntries(new URL(url).searchParams);
  expect(query).toEqual({
    theme: 'light',
    response_type: 'code',
    client_id: 'my-app',
    redirect_uri: 'https://us.example/callback',
    scope: 'read write',
    state: 'state',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(url).not.toContain(flow['verifier']);
  await oauth.complete();
  const [request] = oauth.requests;
  // Base64 of `my-app:app-secret`: no character is percent-encoded.
  expect(request!.headers.get('authorization')).toBe('Basic bXktYXBwOmFwcC1zZWNyZXQ=');
  expect(Object.fromEntries(new URLSearchParams(await request!.text()))).toEqual({
    grant_type: 'authorization_code',
    code: 'my-code',
    redirect_uri: 'https://us.example/callback',
    code_verifier: 'v'.repeat(43),
  });
});

test('the signature of an app is valid at servers whose clock is up to 30 s off', async () => {
  const app = { ...anyApp, clientSecret: await createPrivateJwk() };
  const oauth = openOAuth(json(tokens), { clientAuth: 'private_key_jwt' }, app);
  await oauth.refresh();
  const form = new URLSearchParams(await oauth.requests[0]!.text());
  const [, claims = ''] = form.get('client_assertion')!.split('.');
  const { iat, nbf, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const nowS = Date.now() / 1_000;
  for (const serverS of [nowS - 28, nowS + 28]) {
    expect(Math.max(iat, nbf)).toBeLessThanOrEqual(serverS);
    expect(serverS - iat).toBeLessThan(60);
    expect(exp).toBeGreaterThan(serverS);
  }
});

test('a network can name the client and separate the scopes in its own way', async () => {
  const own = { clientIdName: 'client_key', scopeSeparator: ',', hasPkce: false } as const;
  const oauth = openOAuth(json(tokens), { ...own, clientAuth: 'post' });
  const { searchParams } = new URL((await oauth.begin()).url);
  expect(searchParams.get('client_key')).toBe('my-app');
  expect(searchParams.get('scope')).toBe('read,write');
  expect(searchParams.has('client_id')).toBe(false);
  await oauth.refresh();
  const form = new URLSearchParams(await oauth.requests[0]!.text());
  expect(Object.fromEntries(form)).toEqual({
    client_key: 'my-app',
    client_secret: 'app-secret',
    grant_type: 'refresh_token',
    refresh_token: 'old-refresh',
  });
});

test('a login is revoked by its access token where the network takes no other', async () => {
  const oauth = openOAuth(json({}), { revokesByAccessToken: true });
  await oauth.revoke();
  const sent = await Promise.all(oauth.requests.map((request) => request.text()));
  expect(sent).toEqual(['token=old-access']);
});

test('a refusal with status 200 is a refusal', async () => {
  const oauth = openOAuth(refusal('invalid_grant', 200));
  expect(await errorOf(oauth.refresh())).toMatchObject({
    kind: 'reauthorize',
    options: { platformCode: 'invalid_grant' },
  });
});

test('a network without PKCE gets neither a challenge nor a verifier', async () => {
  const oauth = openOAuth(json(tokens), { hasPkce: false, clientAuth: 'post' });
  const { searchParams } = new URL((await oauth.begin()).url);
  expect([...searchParams.keys()].filter((name) => name.startsWith('code_'))).toEqual([]);
  await oauth.complete();
  const form = new URLSearchParams(await oauth.requests[0]!.text());
  expect(Object.fromEntries(form)).toEqual({
    client_id: 'my-app',
    client_secret: 'app-secret',
    grant_type: 'authorization_code',
    code: 'my-code',
    redirect_uri: 'https://us.example/callback',
  });
});

describe('the tokens of an answer', () => {
  test('need no type, and come without an ID token', async () => {
    const answer = { access_token: 'new', expires_in: 60, id_token: 'not.a.jwt' };
    for (const call of ['complete', 'refresh'] as const) {
      const { credentials } = await openOAuth(json(answer))[call]();
      expect(credentials).toMatchObject({ access_token: 'new' });
      expect(credentials).not.toHaveProperty('id_token');
    }
  });

  test('have the requested scopes if the answer names none', async () => {
    const { scope, credentials } = await openOAuth(json(tokens)).complete();
    expect(scope).toEqual(['read', 'write']);
    expect(credentials).toEqual({ access_token: 'new' });
  });

  test.each(['read other', 'read,other'])('have the scopes %s', async (scope) => {
    const answer = await openOAuth(json({ ...tokens, scope })).complete();
    expect(answer.scope).toEqual(['read', 'other']);
  });

  test('include the previous refresh token if the answer has none', async () => {
    const { credentials } = await openOAuth(json(tokens)).refresh();
    expect(credentials).toEqual({ access_token: 'new', refresh_token: 'old-refresh' });
  });

  test('never expire if the answer names no expiry', async () => {
    const { expires_in: _, ...forever } = tokens;
    expect((await openOAuth(json(forever)).refresh()).tokenExpiresAt).toBeNull();
  });

  test('are refused without a refresh token that the network must give', async () => {
    const oauth = openOAuth(json(tokens), { needsRefreshToken: true });
    const error = await errorOf(oauth.complete());
    expect(error).toMatchObject({ kind: 'rejected' });
    expect(error.message).toContain('returned no refresh token');
    expect(await oauth.requests[1]!.text()).toBe('token=new');
  });
});

test.each([
  { expires_in: 'soon' },
  { expires_in: null },
  { expires_in: -1 },
  { refresh_token: null },
  { refresh_token: '' },
  { scope: ['read'] },
])('tokens are kept if an optional member of the answer is invalid: %j', async (odd) => {
  const answer = await openOAuth(json({ ...tokens, ...odd })).refresh();
  expect(answer.credentials).toEqual({ access_token: 'new', refresh_token: 'old-refresh' });
  expect(answer.scope).toEqual(['read', 'write']);
  if ('expires_in' in odd) expect(answer.tokenExpiresAt).toBeNull();
});

describe('a refresh', () => {
  test.each<[string, Answer, string]>([
    ['invalid_grant', refusal('invalid_grant'), 'reauthorize'],
    // The operator's settings are wrong, and the login is still good.
    ['invalid_client', refusal('invalid_client', 401), 'unavailable'],
    [
      'a challenge',
      json({ error: 'invalid_client' }, 401, { 'www-authenticate': 'Basic realm="x"' }),
      'unavailable',
    ],
    ['an unknown code', refusal('temporarily_unavailable'), 'unavailable'],
    ['429', json({}, 429, { 'retry-after': '7' }), 'rate_limited'],
    ['a page of a proxy', () => new Response('<html>', { status: 403 }), 'unavailable'],
    // The network may have replaced the token, so the engine asks once more.
    ['503', json({}, 503), 'unknown_outcome'],
    ['nonsense', () => new Response('<html>'), 'unknown_outcome'],
    ['no token', json({ token_type: 'bearer' }), 'unknown_outcome'],
    [
      'a lost connection',
      () => {
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error(), { code: 'ECONNRESET' }),
        });
      },
      'unknown_outcome',
    ],
  ])('fails after %s, and does not repeat its token', async (_, answer, kind) => {
    const error = await errorOf(openOAuth(answer).refresh());
    expect(error.kind).toBe(kind);
    expect(JSON.stringify([error.message, error.options.providerError])).not.toContain(
      'old-refresh',
    );
  });
});

describe('a consent', () => {
  test.each<[string, Answer, string]>([
    ['invalid_grant', refusal('invalid_grant'), 'rejected'],
    ['503', json({}, 503), 'unavailable'],
    ['nonsense', () => new Response('<html>'), 'unavailable'],
  ])('fails if its code is answered with %s', async (_, answer, kind) => {
    expect((await errorOf(openOAuth(answer).complete())).kind).toBe(kind);
  });

  test('fails with the reason that the network gave', async () => {
    const oauth = openOAuth(json(tokens));
    const error = await errorOf(
      oauth.complete({ state: 'state', error: 'server_error', error_description: 'Try later.' }),
    );
    expect(error.message).toBe('Example refused the login: Try later.');
    expect(oauth.requests).toEqual([]);
  });

  const unusable = new PlatformError('unavailable', 'The account could not be read.');
  const full = { ...tokens, refresh_token: 'my-refresh' };
  const formsOf = (requests: Request[]) =>
    Promise.all(
      requests.map(async (request) => [new URL(request.url).pathname, await request.text()]),
    );

  test.each<[string, Partial<OAuthNetwork>, string[]]>([
    ['by its refresh token', {}, ['token=my-refresh']],
    ['by both tokens', { endsTokensAlone: true }, ['token=my-refresh', 'token=new']],
  ])('is revoked %s if its account is unusable', async (_, settings, forms) => {
    const oauth = openOAuth(json(full), settings);
    expect(await errorOf(oauth.complete(undefined, () => Promise.reject(unusable)))).toBe(unusable);
    const revoked = (await formsOf(oauth.requests)).slice(1);
    expect(revoked).toEqual(forms.map((form) => ['/revoke', form]));
  });

  test('says why its account is unusable even if the revocation fails', async () => {
    let requests = 0;
    const oauth = openOAuth(() => (requests++ === 0 ? json(full)() : json({}, 503)()));
    expect(await errorOf(oauth.complete(undefined, () => Promise.reject(unusable)))).toBe(unusable);
    expect(requests).toBe(2);
  });

  test('stays valid at a network without revocation', async () => {
    const oauth = openOAuth(json(full), { revocationEndpoint: undefined });
    expect(await errorOf(oauth.complete(undefined, () => Promise.reject(unusable)))).toBe(unusable);
    expect(oauth.requests).toHaveLength(1);
  });
});

test('a revocation sends the refresh token', async () => {
  const oauth = openOAuth(() => new Response());
  await oauth.revoke();
  expect(oauth.requests[0]!.url).toBe('https://example.com/revoke');
  expect(await oauth.requests[0]!.text()).toBe('token=old-refresh');
});

describe('an app', () => {
  test.each<[string, Answer, boolean]>([
    ['is known if it gets a token', json(tokens), true],
    ['is known if the server has no such tokens', refusal('unsupported_grant_type'), true],
    ['is unknown if the server refuses the client', refusal('invalid_client', 401), false],
  ])('%s', async (_what, answer, isKnown) => {
    const oauth = openOAuth(answer);
    expect(await oauth.isKnown()).toBe(isKnown);
    expect(Object.fromEntries(new URLSearchParams(await oauth.requests[0]!.text()))).toEqual({
      grant_type: 'client_credentials',
      scope: 'read write',
    });
  });

  test.each<[string, Answer, string]>([
    ['a page', () => new Response('<h1>Hi</h1>'), 'unavailable'],
    ['503', json({}, 503), 'unavailable'],
    ['429', json({}, 429), 'rate_limited'],
  ])('is neither known nor unknown after %s', async (_what, answer, kind) => {
    expect(await errorOf(openOAuth(answer).isKnown())).toMatchObject({ kind });
  });
});

describe('a network with a form of its own', () => {
  const settings: Partial<OAuthNetwork> = {
    scopeSeparator: ',',
    codeParameters: { continuous_refresh: 'true' },
    readError: (body) => {
      const { code, message } = (body ?? {}) as { code?: number; message?: string };
      return code === undefined
        ? undefined
        : { error: String(code), error_description: message ?? '' };
    },
    endsLogin: (code) => code === '283',
  };

  test('gets scopes with commas', async () => {
    const { url } = await openOAuth(json(tokens), settings).begin();
    expect(new URL(url).searchParams.get('scope')).toBe('read,write');
  });

  test('gets its parameters with the code, and not with a refresh', async () => {
    const oauth = openOAuth(json(tokens), settings);
    await oauth.complete();
    await oauth.refresh();
    const sent = await Promise.all(oauth.requests.map((request) => request.text()));
    const read = sent.map((form) => new URLSearchParams(form).get('continuous_refresh'));
    expect(read).toEqual(['true', null]);
  });

  test.each([
    [401, { code: 283, message: 'The grant is invalid: old-refresh.' }, 'reauthorize', '283'],
    [401, { code: 2, message: 'Authentication failed.' }, 'unavailable', '2'],
    [429, { code: 8, message: 'Slow down.' }, 'rate_limited', '8'],
    [400, { error: 'invalid_grant' }, 'unavailable', 'invalid_grant'],
  ])('refuses a refresh with %i %j', async (status, body, kind, platformCode) => {
    const error = await errorOf(openOAuth(json(body, status), settings).refresh());
    expect(error).toMatchObject({ kind, options: { platformCode } });
    expect(JSON.stringify([error.message, error.options])).not.toContain('old-refresh');
  });

  test('says why it refuses a code', async () => {
    const body = { code: 283, message: 'The authorization grant is invalid' };
    const error = await errorOf(openOAuth(json(body, 401), settings).complete());
    expect(error).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('The authorization grant is invalid') as string,
    });
  });
});
