// Logins at the page of a real server: the consent, its posts, its refresh and its end.
import { afterAll, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import type { Credentials, Login } from '../../../activities/platforms/platform.ts';
import type { App } from '../../../schema/platforms/definition.ts';
import { refusal } from '../../support/checks/platform-refusal.ts';
import { createImage } from '../../support/media/target-media.ts';
import { toConnection } from '../../support/networks/connection.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';
import {
  connectByConsent,
  consentMethodOf,
  denyAtPds,
  loopbackCallback,
  registerApp,
  type ConsentOptions,
} from '../../support/servers/bluesky-consent.ts';
import { txtOf } from '../../support/servers/bluesky-identity.ts';
import { startBlueskyPds, type BlueskyPds } from '../../support/servers/bluesky-pds.ts';

const started = await startBlueskyPds();
const isMissing = 'skipped' in started;
afterAll(() => (isMissing ? undefined : started.stop()));
const pds = started as BlueskyPds;

const { signal } = new AbortController();
const password = 'correct-horse-battery';
let userCount = 0;

interface Call {
  path: string;
  status: number;
  scheme: string | undefined;
}

/** A connector with no nonces yet, and its calls. */
function createConnector() {
  const calls: Call[] = [];
  let loseNext: string | undefined;
  const bluesky = createBluesky({
    async fetch(url, init) {
      const { pathname: path } = new URL(url);
      const response = await fetch(url, init);
      const scheme = new Headers(init?.headers).get('authorization')?.split(' ')[0];
      calls.push({ path, status: response.status, scheme });
      if (path !== loseNext || !response.ok) return response;
      loseNext = undefined;
      const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      throw new TypeError('fetch failed', { cause });
    },
    apiUrl: pds.url,
    plcUrl: pds.plcUrl,
    lookUpTxt: txtOf({}),
  });
  const statusesOf = (path: string) =>
    calls.filter((call) => call.path === path).map(({ status }) => status);
  return { bluesky, calls, statusesOf, loseAnswerOf: (path: string) => (loseNext = path) };
}

async function createUser() {
  const { did, handle } = await pds.createAccount(`consent${++userCount}.test`, password);
  return { did, handle, password };
}

async function connectNew(options: ConsentOptions = {}) {
  const connector = createConnector();
  const user = await createUser();
  const { grant, app } = await connectByConsent(connector.bluesky, user, options);
  const login: Login = { credentials: grant.credentials, app };
  return { ...connector, user, grant, app, login, connection: toConnection(grant) };
}

async function listTexts(did: string): Promise<unknown[]> {
  const query = new URLSearchParams({ repo: did, collection: 'app.bsky.feed.post' });
  const response = await fetch(`${pds.url}/xrpc/com.atproto.repo.listRecords?${query.toString()}`);
  const { records } = (await response.json()) as { records: { value: { text: string } }[] };
  return records.map(({ value }) => value.text).toReversed();
}

const putRecord = '/xrpc/com.atproto.repo.putRecord';
const uploadBlob = '/xrpc/com.atproto.repo.uploadBlob';
const token = '/oauth/token';

describe.skipIf(isMissing)('a consent', () => {
  test('connects the account of a handle, by a pushed request', async () => {
    const { grant, user, statusesOf } = await connectNew();
    expect(grant).toMatchObject({
      scope: ['atproto', 'transition:generic'],
      accounts: [{ externalAccountId: user.did, accountName: user.handle, problem: null }],
      credentials: { service: pds.url, did: user.did, handle: user.handle, issuer: pds.url },
    });
    const lifeMs = grant.tokenExpiresAt!.getTime() - Date.now();
    expect(lifeMs).toBeGreaterThan(60_000);
    // The first request learns the nonce.
    expect(statusesOf('/oauth/par')).toEqual([400, 201]);
    expect(statusesOf(token)).toEqual([200]);
  });

  test('sends the user to a URL with only a reference to the request, and keeps the DPoP key in the flow', async () => {
    const { bluesky } = createConnector();
    const { handle, did } = await createUser();
    const app = await registerApp(bluesky);
    const asked = { state: 'a-state', callbackUrl: loopbackCallback, productName: 'Acme' };
    const request = { ...asked, inputs: { handle }, app };
    const { url, flow } = await consentMethodOf(bluesky).begin(request, signal);
    const { origin, pathname, searchParams } = new URL(url);
    expect(`${origin}${pathname}`).toBe(`${pds.url}/oauth/authorize`);
    expect([...searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    expect(flow).toEqual({
      verifier: expect.stringMatching(/^[\w-]{43}$/),
      issuer: pds.url,
      dpop_jwk: expect.stringContaining('"d":'),
      did,
    });
  });

  test('connects the account that logs in if the user entered only a server', async () => {
    const { grant, user } = await connectNew({ input: pds.url });
    expect(grant.accounts[0]!.externalAccountId).toBe(user.did);
  });

  test('is refused if it is for one account and a different account logs in', async () => {
    const { bluesky } = createConnector();
    const [asked, other] = [await createUser(), await createUser()];
    const error = await refusal(connectByConsent(bluesky, other, { input: asked.handle }));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'identity_mismatch', field: 'handle' },
    });
  });

  test('is refused before the code is sent if its callback names another issuer, or no issuer', async () => {
    for (const iss of ['https://evil.example.com', undefined]) {
      const { bluesky, statusesOf } = createConnector();
      const user = await createUser();
      const change = ({ code = '', state = '' }: Record<string, string>) => ({
        code,
        state,
        ...(iss !== undefined && { iss }),
      });
      const error = await refusal(connectByConsent(bluesky, user, { change }));
      expect(error.kind).toBe('rejected');
      expect(error.message).toContain(pds.url);
      expect(statusesOf(token)).toEqual([]);
    }
  });

  test('says that the user refused it', async () => {
    const { bluesky } = createConnector();
    const { handle } = await createUser();
    const app = await registerApp(bluesky);
    const asked = { state: 'a-state', callbackUrl: loopbackCallback, productName: 'Acme' };
    const request = { ...asked, inputs: { handle }, app };
    const method = consentMethodOf(bluesky);
    const { url, flow } = await method.begin(request, signal);
    const query = Object.fromEntries(new URL(await denyAtPds(url)).searchParams);
    expect(query).toMatchObject({ error: 'access_denied', state: 'a-state', iss: pds.url });
    const error = await refusal(method.complete(query, { ...request, flow }, signal));
    expect(error.message).toBe('Bluesky refused the login: The user rejected the request');
  });

  test('needs a handle that exists', async () => {
    const { bluesky } = createConnector();
    const error = await refusal(
      connectByConsent(bluesky, { handle: 'nobody.test', password }, { input: 'nobody.test' }),
    );
    expect(error.options.platformCode).toBe('identity_not_found');
  });
});

describe.skipIf(isMissing)('an account of a consent', () => {
  test('publishes once, with an image, even if each server refuses the first call without a nonce', async () => {
    const { connection, user } = await connectNew();
    // Another process, which has no nonce.
    const { bluesky, calls, statusesOf } = createConnector();
    const image = await createImage({ contentType: 'image/jpeg', width: 40, height: 30 });
    const target = targetOf(connection, { caption: 'Signed', media: [image] });
    const state = await prepareTarget(bluesky, target, signal);
    const done = await bluesky.commit({ ...target, state }, signal);
    expect(done).toMatchObject({
      outcome: 'published',
      published: { url: expect.stringContaining(`/profile/${user.handle}/post/`) },
    });
    // The bytes are sent only once, after a call that learned the nonce.
    expect(statusesOf('/xrpc/com.atproto.server.getSession')).toEqual([401]);
    expect(statusesOf(uploadBlob)).toEqual([200]);
    expect(statusesOf(putRecord)).toEqual([200]);
    expect(await bluesky.reconcile!({ ...target, state: {} }, signal)).toEqual(done);
    expect(await listTexts(user.did)).toEqual(['Signed']);
    const schemes = new Set(calls.filter(({ path }) => path === putRecord).map((c) => c.scheme));
    expect([...schemes]).toEqual(['DPoP']);
  });

  test('publishes a text after a refused nonce, and replies', async () => {
    const { connection, user } = await connectNew();
    const { bluesky, statusesOf } = createConnector();
    const first = targetOf(connection, { caption: 'One' });
    const prepared = { ...first, state: await prepareTarget(bluesky, first, signal) };
    const done = await bluesky.commit(prepared, signal);
    expect(statusesOf(putRecord)).toEqual([401, 200]);
    if (done.outcome !== 'published') throw new Error(done.outcome);
    const reply = targetOf(connection, { caption: 'Two', replyTo: done.published.externalId });
    const state = await prepareTarget(bluesky, reply, signal);
    await bluesky.commit({ ...reply, state }, signal);
    expect(await listTexts(user.did)).toEqual(['One', 'Two']);
  });

  test('can repeat a commit whose answer was lost', async () => {
    const { bluesky, connection, user, loseAnswerOf } = await connectNew();
    const target = targetOf(connection, { caption: 'Once' });
    const prepared = { ...target, state: await prepareTarget(bluesky, target, signal) };
    loseAnswerOf(putRecord);
    expect((await refusal(bluesky.commit(prepared, signal))).kind).toBe('unknown_outcome');
    expect(await bluesky.reconcile!(prepared, signal)).toMatchObject({ outcome: 'published' });
    await bluesky.commit(prepared, signal);
    expect(await listTexts(user.did)).toEqual(['Once']);
  });

  test('needs a refresh if its token has expired', async () => {
    const { bluesky, connection } = await connectNew();
    const access_token = pds.expireToken(connection.credentials['access_token']!);
    const target = targetOf(
      { ...connection, credentials: { ...connection.credentials, access_token } },
      { state: { record: {} } },
    );
    const error = await refusal(bluesky.commit(target, signal));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'invalid_token' },
    });
    expect(error.options.isRevoked).toBeUndefined();
    expect(error.message).not.toContain(access_token);
  });

  test('is refused if its token belongs to another key', async () => {
    const [one, two] = [await connectNew(), await connectNew()];
    const { access_token = '' } = two.connection.credentials;
    const credentials: Credentials = { ...one.connection.credentials, access_token };
    const target = targetOf({ ...one.connection, credentials }, { state: { record: {} } });
    expect((await refusal(one.bluesky.commit(target, signal))).kind).toBe('reauthorize');
  });
});

describe.skipIf(isMissing)('a refresh', () => {
  const refresh = ({ bluesky, login }: Awaited<ReturnType<typeof connectNew>>) =>
    bluesky.refresh!(login, signal);

  test('replaces both tokens, and the new one publishes', async () => {
    const connected = await connectNew();
    const fresh = await refresh(connected);
    const { access_token, refresh_token, ...rest } = connected.login.credentials;
    expect(fresh.credentials).toMatchObject(rest);
    expect(fresh.credentials['access_token']).not.toBe(access_token);
    expect(fresh.credentials['refresh_token']).not.toBe(refresh_token);
    expect(fresh.accountName).toBe(connected.user.handle);
    const { bluesky, connection } = connected;
    const target = targetOf({ ...connection, credentials: fresh.credentials });
    const state = await prepareTarget(bluesky, target, signal);
    expect(await bluesky.commit({ ...target, state }, signal)).toMatchObject({
      outcome: 'published',
    });
  });

  test('is an unknown outcome if its answer was lost, and a used token ends the login', async () => {
    const connected = await connectNew();
    connected.loseAnswerOf(token);
    expect((await refusal(refresh(connected))).kind).toBe('unknown_outcome');
    const error = await refusal(refresh(connected));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'invalid_grant' },
    });
    expect(error.message).not.toContain(connected.login.credentials['refresh_token']);
  });

  test('fails without ending the login while its app is unknown', async () => {
    const { bluesky, login } = await connectNew();
    const lost = { credentials: login.credentials, app: null };
    expect((await refusal(bluesky.refresh!(lost, signal))).kind).toBe('unavailable');
    expect(await bluesky.refresh!(login, signal)).toBeDefined();
  });

  test('needs the app that made the login', async () => {
    const { bluesky, login } = await connectNew();
    const other: App = await registerApp(bluesky, 'http://127.0.0.1:9/connect/callback');
    const error = await refusal(bluesky.refresh!({ ...login, app: other }, signal));
    expect(error.options.platformCode).toMatch(/^invalid_(client|grant)$/);
  });
});

describe.skipIf(isMissing)('a revocation', () => {
  test('ends the login at the server, and no other login', async () => {
    const { bluesky, user, login, app, connection } = await connectNew();
    const { grant: newer } = await connectByConsent(bluesky, user, { app });
    await bluesky.revoke!(login, signal);
    const target = targetOf(connection, { state: { record: {} } });
    expect((await refusal(bluesky.commit(target, signal))).kind).toBe('reauthorize');
    expect((await refusal(bluesky.refresh!(login, signal))).kind).toBe('reauthorize');
    expect(await bluesky.refresh!({ credentials: newer.credentials, app }, signal)).toBeDefined();
    // Nothing is left to end.
    await bluesky.revoke!(login, signal);
  });
});
