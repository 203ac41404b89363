// How the Bluesky connector reads answers that no healthy PDS gives: a simulator plays them.
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../../activities/platforms/bluesky/index.ts';
import type { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { didDocument, handleRecord, txtOf } from '../../../support/servers/bluesky-identity.ts';
import { startReceiver } from '../../../support/receivers/receiver.ts';
import type { Reply } from '../../../support/receivers/receiver.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { recordKey } from '../../../../activities/platforms/bluesky/record.ts';
import { newId } from '../../../../schema/wire/ids.ts';
import { prepareTarget } from '../../../support/networks/target.ts';
import { loginOf } from '../../../support/rows/grants.ts';
import { formOf } from '../../../support/networks/connection.ts';

const unexpected: Reply = { status: 404, body: '{"error":"XRPCNotSupported"}' };
const simulator = await startReceiver({ respond: () => unexpected });
const identity = {
  did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
  handle: 'ada.example.com',
  pds: simulator.url,
};
const directory = await startReceiver({
  respond: () => ({ body: JSON.stringify(didDocument(identity)) }),
});
afterAll(async () => {
  await simulator.close();
  await directory.close();
});
beforeEach(() => simulator.respondWith(() => unexpected));

const bluesky = createBluesky({
  fetch,
  apiUrl: simulator.url,
  plcUrl: directory.url,
  lookUpTxt: txtOf(handleRecord(identity)),
});
const never = new AbortController().signal;
const accessJwt = jwt({ exp: 4_000_000_000, scope: 'com.atproto.appPass' });
const refreshJwt = jwt({ exp: 4_100_000_000, scope: 'com.atproto.refresh' });
const session = { did: identity.did, handle: identity.handle, accessJwt, refreshJwt };
const target: Target = {
  resultId: newId('result'),
  externalAccountId: session.did,
  caption: 'Hello',
  media: [],
  replyTo: null,
  platformOptions: {},
  traits: {},
  dueAt: new Date(0),
  credentials: { ...session, service: simulator.url },
  state: { record: { $type: 'app.bsky.feed.post', text: 'Hello' } },
};
const uri = `at://${session.did}/app.bsky.feed.post/3laaaaaaaaaaa`;

function jwt(claims: object): string {
  return `${base64url({ alg: 'none' })}.${base64url(claims)}.c2lnbmF0dXJl`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const fault = (status: number, error: string, message = error, headers = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ error, message }),
});

const phases = {
  prepare: () => prepareTarget(bluesky, { ...target, caption: 'Hi @bob.test', state: {} }, never),
  commit: () => bluesky.commit(target, never),
  reconcile: () => bluesky.reconcile!(target, never),
  refresh: () => bluesky.refresh!(loginOf(target.credentials), never),
  connect: () => logIn(),
};

function logIn() {
  const input = { handle: identity.handle, app_password: 'se-cr-et' };
  return formOf(bluesky).run(formOf(bluesky).credentials.parse(input), never);
}

async function errorOf(phase: keyof typeof phases, reply: Reply): Promise<PlatformError> {
  simulator.respondWith(() => reply);
  return refusal(phases[phase]());
}

describe('an answer', () => {
  test.each([
    ['commit', 429, 'RateLimitExceeded', 'rate_limited'],
    ['connect', 429, 'RateLimitExceeded', 'rate_limited'],
    ['prepare', 429, 'RateLimitExceeded', 'rate_limited'],
    ['commit', 500, 'InternalServerError', 'unknown_outcome'],
    ['commit', 502, 'UpstreamFailure', 'unknown_outcome'],
    ['commit', 503, 'NotEnoughResources', 'unknown_outcome'],
    ['prepare', 502, 'UpstreamFailure', 'unavailable'],
    ['reconcile', 500, 'InternalServerError', 'unavailable'],
    ['refresh', 503, 'NotEnoughResources', 'unavailable'],
    ['connect', 500, 'InternalServerError', 'unavailable'],
    ['commit', 400, 'InvalidRequest', 'rejected'],
    ['commit', 413, 'PayloadTooLarge', 'rejected'],
    ['commit', 400, 'InvalidSwap', 'unknown_outcome'],
    ['reconcile', 400, 'InvalidRequest', 'rejected'],
    ['commit', 400, 'ExpiredToken', 'reauthorize'],
    ['commit', 401, 'AuthMissing', 'reauthorize'],
    ['refresh', 400, 'ExpiredToken', 'reauthorize'],
    ['connect', 401, 'AuthFactorTokenRequired', 'rejected'],
    ['connect', 401, 'AccountTakedown', 'rejected'],
  ] as const)('to a %s with %i %s counts as %s', async (phase, status, code, kind) => {
    const error = await errorOf(phase, fault(status, code));
    expect(error).toMatchObject({
      kind,
      options: { platformCode: code, providerError: { status, code, message: code } },
    });
    expect(error.options.isRevoked).toBeUndefined();
  });

  test.each([
    ['commit', 400, 'InvalidToken'],
    ['commit', 401, 'AccountTakedown'],
    ['commit', 401, 'AccountDeactivated'],
    ['commit', 403, 'AccountNotFound'],
    ['refresh', 400, 'InvalidToken'],
    ['refresh', 400, 'InvalidRequest'],
  ] as const)(
    'to a %s with %i %s means that the credentials were revoked',
    async (phase, status, code) => {
      expect(await errorOf(phase, fault(status, code))).toMatchObject({
        kind: 'reauthorize',
        options: { platformCode: code, isRevoked: true },
      });
    },
  );

  test("that limits the rate sets the wait by the server's clock", async () => {
    const serverNow = Date.parse('2031-01-01T00:00:00Z');
    const headers = {
      date: new Date(serverNow).toUTCString(),
      'ratelimit-reset': String(serverNow / 1000 + 90),
    };
    const error = await errorOf('commit', fault(429, 'RateLimitExceeded', 'Slow down', headers));
    expect(error.options.retryAfterMs).toBe(90_000);
    const other = await errorOf('commit', fault(429, 'Slow', 'Slow', { 'retry-after': '7' }));
    expect(other.options.retryAfterMs).toBe(7_000);
    const silent = await errorOf('commit', { status: 429, body: 'no' });
    expect(silent.options).toEqual({
      platformCode: '429',
      providerError: { status: 429 },
      throttled: 'account',
    });
  });

  test.each(['not json', '{}', '', '[]'])(
    'leaves a commit unknown if it has status 200 and the body %j',
    async (body) => {
      expect((await errorOf('commit', { status: 200, body })).kind).toBe('unknown_outcome');
      expect((await errorOf('connect', { status: 200, body })).kind).toBe('unavailable');
      expect((await errorOf('reconcile', { status: 200, body })).kind).toBe('unavailable');
    },
  );

  test('is not followed if it leads to another address', async () => {
    const headers = { location: `${simulator.url}/elsewhere` };
    const before = simulator.requests.length;
    expect((await errorOf('commit', { status: 307, headers })).kind).toBe('unavailable');
    expect(simulator.requests.length - before).toBe(1);
  });

  test('that repeats our secrets is shown without them', async () => {
    for (const phase of ['commit', 'refresh', 'connect'] as const) {
      const echo = `Bad: ${accessJwt} ${refreshJwt} se-cr-et`;
      const error = await errorOf(phase, fault(400, 'InvalidRequest', echo));
      const shown = `${error.message} ${JSON.stringify(error.options)}`;
      expect(shown).toContain('[redacted]');
      for (const secret of [accessJwt, refreshJwt]) expect(shown).not.toContain(secret);
      if (phase === 'connect') expect(shown).not.toContain('se-cr-et');
    }
  });
});

describe('a missing answer', () => {
  test('leaves a commit unknown if the commit was sent', async () => {
    expect((await errorOf('commit', 'reset')).kind).toBe('unknown_outcome');
    simulator.respondWith(() => 'hang');
    const slow = bluesky.commit(target, AbortSignal.timeout(100));
    expect((await refusal(slow)).kind).toBe('unknown_outcome');
  });

  test('lets a call that posts nothing be retried', async () => {
    for (const phase of ['prepare', 'reconcile', 'refresh', 'connect'] as const) {
      expect((await errorOf(phase, 'reset')).kind, phase).toBe('unavailable');
    }
  });

  test('counts as nothing sent if there was no connection', async () => {
    const gone = await startReceiver();
    await gone.close();
    const refused = { ...target, credentials: { ...target.credentials, service: gone.url } };
    expect(await refusal(bluesky.commit(refused, never))).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: 'ECONNREFUSED' },
    });
    const unnamed = { ...target.credentials, service: 'https://nowhere.invalid' };
    const nameless = await refusal(bluesky.commit({ ...target, credentials: unnamed }, never));
    expect(nameless.kind).toBe('unavailable');
  });

  test('counts as nothing sent if the call was aborted before it began', async () => {
    const before = simulator.requests.length;
    expect((await refusal(bluesky.commit(target, AbortSignal.abort()))).kind).toBe('unavailable');
    expect(simulator.requests).toHaveLength(before);
  });
});

describe('prepare', () => {
  test('leaves a mention of an unknown handle as text', async () => {
    simulator.respondWith(() => fault(400, 'HandleNotFound', 'Unable to resolve handle'));
    const { record } = (await phases.prepare()) as { record: Record<string, unknown> };
    expect(record).not.toHaveProperty('facets');
  });

  test('leaves a mention as text if the PDS hides it from the public', async () => {
    simulator.respondWith(() => fault(401, 'AuthMissing'));
    expect(await phases.prepare()).not.toHaveProperty('record.facets');
  });

  test('resolves a handle only once if it is mentioned twice', async () => {
    simulator.respondWith(() => ({ body: '{"did":"did:plc:bob"}' }));
    const before = simulator.requests.length;
    const state = await prepareTarget(
      bluesky,
      { ...target, caption: '@bob.test @bob.test', state: {} },
      never,
    );
    expect((state['record'] as { facets: unknown[] }).facets).toHaveLength(2);
    expect(simulator.requests.slice(before).map(({ path }) => path)).toEqual([
      '/xrpc/com.atproto.identity.resolveHandle?handle=bob.test',
    ]);
  });

  test('links nothing that a PDS would refuse', async () => {
    const caption = 'https:///nowhere $ACME (https://example.com/a) example.com.';
    const { record } = (await prepareTarget(bluesky, { ...target, caption, state: {} }, never)) as {
      record: { facets: { features: { uri?: string; tag?: string }[] }[] };
    };
    expect(record.facets.flatMap(({ features }) => features.map((f) => f.uri ?? f.tag))).toEqual([
      '$ACME',
      'https://example.com/a',
      'https://example.com',
    ]);
  });
});

describe('connect', () => {
  test('reads the scope and the expiry of the tokens', async () => {
    simulator.respondWith(() => ({ body: JSON.stringify(session) }));
    const { tokenExpiresAt, scope } = await logIn();
    expect(tokenExpiresAt).toEqual(new Date(4_000_000_000_000));
    expect(scope).toEqual(['com.atproto.appPass']);
  });

  test('refuses an account that cannot post', async () => {
    simulator.respondWith(() => ({
      body: JSON.stringify({ ...session, active: false, status: 'deactivated' }),
    }));
    expect(await refusal(logIn())).toMatchObject({
      kind: 'rejected',
      message: 'The account is deactivated.',
    });
  });

  test('accepts a handle as people write it, or a DID', () => {
    const { credentials } = formOf(bluesky);
    const parse = (handle: string) => credentials.parse({ handle, app_password: 'p' });
    expect(parse(' @Ada.Bsky.Social ')).toEqual({
      handle: 'ada.bsky.social',
      app_password: 'p',
    });
    expect(parse('did:plc:abc123').handle).toBe('did:plc:abc123');
  });

  test.each([
    [{ handle: 'ada' }, 'handle'],
    [{ handle: 'ada@example.com' }, 'handle'],
    [{ app_password: ' ' }, 'app_password'],
    [{ service: 'http://pds.example' }, 'service'],
    [{ service: 'https://pds.example/path' }, 'service'],
    [{ service: 'https://user:pass@pds.example' }, 'service'],
    [{ service: 'pds.example' }, 'service'],
  ])('refuses %j', (change, field) => {
    const parsed = formOf(bluesky).credentials.safeParse({
      handle: 'ada.test',
      app_password: 'p',
      ...change,
    });
    expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
  });
});

describe('options', () => {
  test.each([
    [{}, true],
    [{ langs: ['en', 'pt-BR', 'zh-Hans'], tags: ['music', 'ジャズ'] }, true],
    [{ langs: ['en', 'de', 'fr', 'it'] }, false],
    [{ langs: ['english language'] }, false],
    [{ tags: ['#music'] }, false],
    [{ tags: Array.from({ length: 9 }, (_, n) => `tag${n}`) }, false],
    [{ reply: {} }, false],
  ])('%j is taken: %s', (options, isTaken) => {
    expect(bluesky.definition.options.safeParse(options).success).toBe(isTaken);
  });
});

test('a commit sends what was prepared, to the account’s own repository', async () => {
  simulator.respondWith(() => ({ body: JSON.stringify({ uri, cid: 'bafy' }) }));
  const before = simulator.requests.length;
  await bluesky.commit(target, never);
  const [request, ...others] = simulator.requests.slice(before);
  expect(others).toEqual([]);
  expect(request).toMatchObject({ method: 'POST', path: '/xrpc/com.atproto.repo.putRecord' });
  expect(request!.headers.authorization).toBe(`Bearer ${accessJwt}`);
  expect(request!.json()).toEqual({
    repo: session.did,
    collection: 'app.bsky.feed.post',
    rkey: recordKey(target.resultId),
    ...target.state,
  });
});
