// Who a Bluesky account is: a login reaches only the PDS that the DID's document names, and only as that DID.
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../../activities/platforms/bluesky/index.ts';
import type { Fetch, Platform } from '../../../../activities/platforms/platform.ts';
import type { LookUpTxt } from '../../../../activities/platforms/bluesky/handles.ts';
import {
  didDocument,
  handleRecord,
  txtOf,
  type TestIdentity,
} from '../../../support/servers/bluesky-identity.ts';
import { startReceiver, type Receiver, type Reply } from '../../../support/receivers/receiver.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { loginOf } from '../../../support/rows/grants.ts';
import { formOf } from '../../../support/networks/connection.ts';

const [directory, home, entryway, other] = await Promise.all([
  startReceiver(),
  startReceiver(),
  startReceiver(),
  startReceiver(),
]);
const servers = [directory, home, entryway, other];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const signal = AbortSignal.timeout(60_000);
const ada = { did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', handle: 'ada.example.com', pds: home.url };
const eve = { did: 'did:plc:eeeeeeeeeeeeeeeeeeeeeeee', handle: 'eve.example.com', pds: other.url };
const json = (body: unknown): Reply => ({ body: JSON.stringify(body) });

/** A PDS that logs anybody in, and says that it is this account. */
const sessionOf = (did: string) => () =>
  json({ did, handle: 'liar.example.com', accessJwt: 'access', refreshJwt: 'refresh' });

function publish(...identities: TestIdentity[]): void {
  directory.respondWith(({ path }) => {
    const found = identities.find(({ did }) => path === `/${did}`);
    return found ? json(didDocument(found)) : { status: 404 };
  });
}

beforeEach(() => {
  publish(ada, eve);
  for (const pds of [home, entryway]) pds.respondWith(sessionOf(ada.did));
  other.respondWith(sessionOf(eve.did));
});

const dns = txtOf({ ...handleRecord(ada), ...handleRecord(eve) });

/** The well-known documents of handles and of `did:web`, of which loopback has no certificates. */
function createConnector(
  lookUpTxt: LookUpTxt = dns,
  documents: Record<string, string> = {},
): Platform {
  const webFetch: Fetch = async (url, init) => {
    if (url.startsWith('http:')) return fetch(url, init);
    const document = documents[url];
    return document === undefined ? new Response('', { status: 404 }) : new Response(document);
  };
  return createBluesky({
    fetch: webFetch,
    apiUrl: entryway.url,
    plcUrl: directory.url,
    lookUpTxt,
  });
}

const logIn = (credentials: Record<string, string>, bluesky = createConnector()) =>
  formOf(bluesky).run({ app_password: 'se-cr-et', ...credentials }, signal);

/** How many requests each server had during the work. */
async function countRequests(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const named: Record<string, Receiver> = { directory, home, entryway, other };
  const before = Object.values(named).map(({ requests }) => requests.length);
  await work();
  return Object.fromEntries(
    Object.entries(named).map(([name, server], at) => [name, server.requests.length - before[at]!]),
  );
}

const goneUrl = await startReceiver().then(async (server) => {
  await server.close();
  return server.url;
});

describe('a login', () => {
  test('sends the DID to the PDS that the DID document names', async () => {
    const counts = await countRequests(async () => {
      expect(await logIn({ handle: ada.handle })).toMatchObject({
        externalAccountId: ada.did,
        accountName: ada.handle,
        credentials: { service: home.url, did: ada.did, handle: ada.handle },
      });
    });
    expect(counts).toEqual({ directory: 1, home: 2, entryway: 0, other: 0 });
    expect(home.requests.at(-1)!.json()).toMatchObject({ identifier: ada.did });
  });

  test('goes to the entryway if the user names it, and stores the PDS', async () => {
    const { credentials } = await logIn({ handle: ada.handle, service: entryway.url });
    expect(credentials['service']).toBe(home.url);
    expect(entryway.requests.at(-1)!.path).toBe('/xrpc/com.atproto.server.createSession');
  });

  test('never reaches another server that the user names', async () => {
    const counts = await countRequests(async () => {
      other.respondWith(sessionOf(ada.did));
      const error = await refusal(logIn({ handle: ada.handle, service: other.url }));
      expect(error).toMatchObject({
        kind: 'rejected',
        options: { platformCode: 'identity_mismatch', field: 'service' },
      });
    });
    expect(counts).toMatchObject({ home: 0, entryway: 0, other: 0 });
  });

  test.each([
    ['the PDS', { handle: eve.handle }, 'handle'],
    ['the entryway', { handle: eve.handle, service: entryway.url }, 'service'],
  ])('is refused if %s answers for another account', async (_, credentials, field) => {
    for (const server of [other, entryway]) server.respondWith(sessionOf(ada.did));
    expect(await refusal(logIn(credentials))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'identity_mismatch', field },
    });
  });

  test.each([
    ['a handle that leads nowhere', { handle: 'nobody.example.com' }],
    ['a handle of a reserved domain', { handle: 'ada.internal' }],
    ['a DID without a document', { handle: 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb' }],
    [
      'a DID of an unknown method',
      { handle: 'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQ' },
    ],
    ['a did:web with a path', { handle: 'did:web:example.com:user' }],
  ])('is refused with %s', async (_, credentials) => {
    expect(await refusal(logIn(credentials))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'identity_not_found', field: 'handle' },
    });
  });

  test.each([
    ['names no PDS', didDocument({ ...ada, pds: undefined })],
    ['names no URL as PDS', didDocument({ ...ada, pds: 'javascript:alert(1)' })],
    ['is that of another DID', didDocument(eve)],
    ['is no document', ['did']],
  ])('is refused if the document %s', async (_, document) => {
    directory.respondWith(() => json(document));
    expect((await refusal(logIn({ handle: ada.did }))).options.platformCode).toBe(
      'identity_not_found',
    );
  });

  test.each<[string, Reply]>([
    ['breaks off', 'reset'],
    ['answers 503', { status: 503 }],
    ['limits the rate', { status: 429 }],
  ])('is unavailable if the directory %s', async (_, reply) => {
    directory.respondWith(() => reply);
    expect((await refusal(logIn({ handle: ada.handle }))).kind).toBe('unavailable');
  });

  test('is unavailable while DNS does not answer', async () => {
    const silent = createConnector(() => Promise.reject(new Error('queryTxt ETIMEOUT')));
    expect(await refusal(logIn({ handle: ada.handle }, silent))).toMatchObject({
      kind: 'unavailable',
      message: 'DNS does not answer for ada.example.com.',
    });
    // A DID needs no DNS, and nobody can say now whose its handle is.
    expect((await logIn({ handle: ada.did }, silent)).accountName).toBe('handle.invalid');
  });
});

describe('a handle', () => {
  test('is resolved by its own web server if DNS has no record', async () => {
    const web = createConnector(txtOf({}), {
      'https://ada.example.com/.well-known/atproto-did': `${ada.did}\n`,
    });
    expect(await logIn({ handle: ada.handle }, web)).toMatchObject({
      externalAccountId: ada.did,
      accountName: ada.handle,
    });
  });

  test('below .test is found by the entryway', async () => {
    const dev = { ...ada, handle: 'ada.test' };
    publish(dev);
    entryway.respondWith(({ path }) => {
      expect(path).toBe('/xrpc/com.atproto.identity.resolveHandle?handle=ada.test');
      return json({ did: ada.did });
    });
    expect((await logIn({ handle: 'ada.test' })).accountName).toBe('ada.test');
  });

  test('leads to no account if DNS has two DIDs for it', async () => {
    const two = txtOf({ '_atproto.ada.example.com': [`did=${ada.did}`, `did=${eve.did}`] });
    const error = await refusal(logIn({ handle: ada.handle }, createConnector(two)));
    expect(error.options.platformCode).toBe('identity_not_found');
  });

  test.each([
    ['points to another DID', { ...eve, handle: ada.handle }],
    ['leads nowhere', { ...eve, handle: 'nobody.example.com' }],
    ['is no handle', { ...eve, handle: `${'a'.repeat(64)}.example.com` }],
    ['is longer than any', { ...eve, handle: `${'a.'.repeat(130)}com` }],
  ])('is stored as handle.invalid if it %s', async (_, claimed) => {
    publish(claimed);
    const { accountName, credentials } = await logIn({ handle: eve.did });
    expect(accountName).toBe('handle.invalid');
    expect(credentials['handle']).toBe('handle.invalid');
  });

  test('leads to its account if the document names another handle, which is stored instead', async () => {
    publish(ada);
    const alias = txtOf({ ...handleRecord(ada), '_atproto.old.example.com': [`did=${ada.did}`] });
    const { accountName } = await logIn({ handle: 'old.example.com' }, createConnector(alias));
    expect(accountName).toBe(ada.handle);
  });
});

test('a did:web is read at its host', async () => {
  const web = { did: 'did:web:grace.example.com', handle: 'grace.example.com', pds: home.url };
  home.respondWith(sessionOf(web.did));
  const bluesky = createConnector(txtOf(handleRecord(web)), {
    'https://grace.example.com/.well-known/did.json': JSON.stringify(didDocument(web)),
  });
  expect(await logIn({ handle: web.handle }, bluesky)).toMatchObject({
    externalAccountId: web.did,
    accountName: web.handle,
  });
});

describe('a refresh', () => {
  const stored = {
    service: other.url,
    did: ada.did,
    handle: 'liar.example.com',
    accessJwt: 'old',
    refreshJwt: 'old',
  };
  const refresh = (bluesky = createConnector(), credentials = stored) =>
    bluesky.refresh!(loginOf(credentials), signal);

  test('moves an account to the PDS that its document names, and verifies its handle', async () => {
    const counts = await countRequests(async () => {
      expect(await refresh()).toMatchObject({
        accountName: ada.handle,
        credentials: { service: home.url, handle: ada.handle },
      });
    });
    expect(counts).toMatchObject({ home: 2, other: 0 });
  });

  test('keeps the host and the handle while the directory is down', async () => {
    other.respondWith(sessionOf(ada.did));
    directory.respondWith(() => 'reset');
    expect(await refresh()).toMatchObject({
      credentials: { service: other.url, handle: stored.handle, refreshJwt: 'refresh' },
    });
    const away = createBluesky({
      fetch,
      apiUrl: entryway.url,
      plcUrl: goneUrl,
      lookUpTxt: dns,
    });
    expect((await refresh(away)).credentials['service']).toBe(other.url);
  });

  test('keeps the handle while DNS does not answer', async () => {
    const silent = createConnector(() => Promise.reject(new Error('queryTxt ETIMEOUT')));
    expect((await refresh(silent)).credentials).toMatchObject({
      service: home.url,
      handle: stored.handle,
    });
  });

  test('is refused if the server answers for another account', async () => {
    home.respondWith(sessionOf(eve.did));
    expect(await refusal(refresh())).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'identity_mismatch' },
    });
  });

  test('asks the user to reconnect if the named PDS refuses the refresh', async () => {
    home.respondWith(() => ({ status: 400, body: '{"error":"InvalidToken"}' }));
    expect((await refusal(refresh())).kind).toBe('reauthorize');
  });
});
