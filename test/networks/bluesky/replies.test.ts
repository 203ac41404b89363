// Replies of the Bluesky connector: threads on Bluesky's own server, and what other servers answer.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import type { Platform, ProviderState, Target } from '../../../activities/platforms/platform.ts';
import { startBlueskyPds } from '../../support/servers/bluesky-pds.ts';
import { startReceiver, type Reply } from '../../support/receivers/receiver.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { txtOf } from '../../support/servers/bluesky-identity.ts';
import { refusal } from '../../support/checks/platform-refusal.ts';
import { prepareTarget } from '../../support/networks/target.ts';
import { formOf } from '../../support/networks/connection.ts';

// Before the tests are collected, so that a machine that can't have it skips them by name.
const started = await startBlueskyPds();
if ('skipped' in started) console.warn(`No Bluesky server here: ${started.skipped}`);
const pds = 'skipped' in started ? undefined : started;
const simulator = await startReceiver({ respond: () => ({ status: 404 }) });
afterAll(async () => {
  await pds?.stop();
  await simulator.close();
});

const signal = AbortSignal.timeout(60_000);
const someone = 'did:plc:z72i7hdynmk6r22z27h6tvur';
const elsewhere = `at://${someone}/app.bsky.feed.post/3l6oveex3ii2l`;
let accountCount = 0;

function toTarget(credentials: Target['credentials'], target: Partial<Target>): Target {
  return {
    resultId: newId('result'),
    externalAccountId: credentials['did']!,
    caption: 'Hello',
    media: [],
    replyTo: null,
    platformOptions: {},
    traits: {},
    dueAt: new Date(0),
    credentials,
    state: {},
    ...target,
  };
}

interface Posted {
  uri: string;
  cid: string;
  value: { text: string; reply?: unknown };
}

async function call(method: string, query: Record<string, string>): Promise<Posted> {
  const parameters = new URLSearchParams(query).toString();
  const response = await fetch(`${pds!.url}/xrpc/${method}?${parameters}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Posted;
}

/** An account, and how to post from it. */
async function createAuthor() {
  const bluesky: Platform = createBluesky({
    fetch,
    apiUrl: pds!.url,
    plcUrl: pds!.plcUrl,
    lookUpTxt: txtOf({}),
  });
  const account = await pds!.createAccount(`reply${++accountCount}.test`, 'correct-horse');
  const { credentials } = await formOf(bluesky).run(
    { handle: account.handle, app_password: account.appPassword, service: pds!.url },
    signal,
  );
  const prepare = (target: Partial<Target>) =>
    prepareTarget(bluesky, toTarget(credentials, target), signal);
  async function post(caption: string, replyTo: string | null = null): Promise<Posted> {
    const state = await prepare({ caption, replyTo });
    const outcome = await bluesky.commit(toTarget(credentials, { replyTo, state }), signal);
    if (outcome.outcome !== 'published') return expect.fail(outcome.outcome);
    const [, , repo = '', collection = '', rkey = ''] = outcome.published.externalId!.split('/');
    return call('com.atproto.repo.getRecord', { repo, collection, rkey });
  }
  return { did: account.did, credentials, prepare, post };
}

const refOf = ({ uri, cid }: Posted) => ({ uri, cid });

describe.skipIf(!pds)('a thread', () => {
  test('has one root, and a parent for each reply, with two posts and a comment', async () => {
    const { post } = await createAuthor();
    const first = await post('1/2');
    const second = await post('2/2', first.uri);
    const comment = await post('More at https://example.com/', second.uri);
    const root = refOf(first);
    expect(first.value).not.toHaveProperty('reply');
    expect(second.value).toMatchObject({ text: '2/2', reply: { root, parent: root } });
    expect(comment.value.reply).toEqual({ root, parent: refOf(second) });
  });

  test('is one thread even if two accounts write it', async () => {
    const ada = await createAuthor();
    const bob = await createAuthor();
    const first = await ada.post('A question');
    const answer = await bob.post('An answer', first.uri);
    const thanks = await ada.post('Thanks', answer.uri);
    expect(thanks.value.reply).toEqual({ root: refOf(first), parent: refOf(answer) });
  });
});

describe.skipIf(!pds)('prepare', () => {
  let author: Awaited<ReturnType<typeof createAuthor>>;
  beforeAll(async () => {
    author = await createAuthor();
  });

  test.each([
    ['the record', (did: string) => `at://${did}/app.bsky.feed.post/3l6oveex3ii2l`],
    ['the account', () => elsewhere],
    ['the form of the id', () => 'at://nobody'],
  ])('is rejected if %s is unknown', async (_, uriOf) => {
    expect(await refusal(author.prepare({ replyTo: uriOf(author.did) }))).toMatchObject({
      kind: 'rejected',
      message: 'The post to reply to is not on Bluesky.',
      options: { platformCode: 'reply_to_not_found', providerError: { status: 400 } },
    });
  });

  test('keeps what it found the first time, without asking again', async () => {
    const { uri } = await author.post('Here');
    const state = await author.prepare({ replyTo: uri });
    expect(await author.prepare({ replyTo: elsewhere, state })).toEqual(state);
  });
});

const credentials = {
  service: simulator.url,
  did: 'did:plc:ada',
  handle: 'ada.test',
  accessJwt: 'access',
  refreshJwt: 'refresh',
};
const simulated = createBluesky({
  fetch,
  apiUrl: simulator.url,
  plcUrl: simulator.url,
  lookUpTxt: txtOf({}),
});
const json = (body: unknown, headers = {}): Reply => ({ body: JSON.stringify(body), headers });
const state: ProviderState = { rkey: '3laaaaaaaaaaa', record: { text: 'Hello' } };

describe('prepare, of a post on another server', () => {
  beforeEach(() => simulator.respondWith(() => ({ status: 404 })));
  const prepare = () =>
    prepareTarget(simulated, toTarget(credentials, { replyTo: elsewhere }), signal);

  test('asks the account’s own server for the post', async () => {
    const root = { uri: 'at://did:plc:bob/app.bsky.feed.post/1', cid: 'bafyroot' };
    const value = { text: 'x', reply: { root, parent: root } };
    simulator.respondWith(() => json({ uri: elsewhere, cid: 'bafyparent', value }));
    const before = simulator.requests.length;
    const parent = { uri: elsewhere, cid: 'bafyparent' };
    expect(await prepare()).toMatchObject({ record: { reply: { root, parent } } });
    const [request, ...others] = simulator.requests.slice(before);
    expect(others).toEqual([]);
    const { pathname, searchParams } = new URL(request!.path, simulator.url);
    expect(pathname).toBe('/xrpc/com.atproto.repo.getRecord');
    expect(Object.fromEntries(searchParams)).toEqual({
      repo: someone,
      collection: 'app.bsky.feed.post',
      rkey: '3l6oveex3ii2l',
    });
  });

  test('starts a thread at a post whose own reply is invalid', async () => {
    const value = { reply: { root: { uri: 'https://example.com' } } };
    simulator.respondWith(() => json({ uri: elsewhere, cid: 'bafy', value }));
    const ref = { uri: elsewhere, cid: 'bafy' };
    expect(await prepare()).toMatchObject({ record: { reply: { root: ref, parent: ref } } });
  });

  test.each([
    [{ status: 502, body: '{"error":"UpstreamFailure"}' }, 'unavailable'],
    [{ status: 429 }, 'rate_limited'],
    [{ status: 401, body: '{"error":"ExpiredToken"}' }, 'reauthorize'],
    [json({ uri: elsewhere, value: {} }), 'unavailable'],
  ] as const)('distinguishes %j from a missing post', async (reply, kind) => {
    simulator.respondWith(() => reply);
    expect((await refusal(prepare())).kind).toBe(kind);
  });
});

describe('commit', () => {
  const commit = () => simulated.commit(toTarget(credentials, { state }), signal);
  const written = { uri: 'at://did:plc:ada/app.bsky.feed.post/3laaaaaaaaaaa', cid: 'bafy' };
  const serverNow = Date.parse('2031-01-01T00:00:00Z');
  const limits = (remaining: string) => ({
    date: new Date(serverNow).toUTCString(),
    'ratelimit-remaining': remaining,
    'ratelimit-reset': String(serverNow / 1000 + 90),
  });

  test('reports when the account may post again after its points are used up', async () => {
    simulator.respondWith(() => json(written, limits('0')));
    const { outcome, throttle } = await commit();
    expect(outcome).toBe('published');
    expect(throttle).toEqual({ scope: 'account', waitMs: 90_000 });
  });

  test.each([{}, limits('1'), { 'ratelimit-remaining': '0' }])(
    'reports no limit with the headers %j',
    async (headers) => {
      simulator.respondWith(() => json(written, headers));
      expect((await commit()).throttle).toBeUndefined();
    },
  );
});
