// A network whose answers can't be stored: its target still ends, with the parts that can be kept.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallPlaces } from '../../../activities/call-places.ts';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { heartbeatsOfTargets } from '../../../schema/database/posts/call-heartbeats.ts';
import { createCallHeartbeats } from '../../../activities/publishing/call-ownership.ts';
import { createGroupedReads } from '../../../activities/publishing/grouped-reads.ts';
import { createGroupedWrites } from '../../../activities/publishing/grouped-writes.ts';
import { createPendingRefreshes } from '../../../activities/logins/pending-refreshes.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type {
  Platform,
  ProviderState,
  Published as PublishedAnswer,
} from '../../../activities/platforms/platform.ts';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import type { PostAttemptRow, PostResultRow } from '../../../schema/database/tables.ts';
import { createNotifier, type Notifier } from '../../../schema/database/notifier.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { startReceiver, type Receiver, type Reply } from '../../support/receivers/receiver.ts';
import { rowsVault } from '../../support/rows/rows.ts';
import { addAccount, addTargets, advanceToEnd } from '../../support/rows/targets.ts';

let database: TestDatabase;
let notifier: Notifier;
let server: Receiver;
let sandbox: Platform;

beforeAll(async () => {
  database = await createTestDatabase();
  notifier = createNotifier(database.url);
  server = await startReceiver();
  sandbox = createSandboxPlatform({ fetch, apiUrl: server.url, publicUrl: server.url });
});
afterAll(async () => {
  await server.close();
  await notifier.close();
  await database.drop();
});

const answer = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) });
const refusal = (status: number, error: object) => answer(status, { error });

/** The answers of the network to a commit and to a check. */
interface Answers {
  commit: Reply;
  look?: Reply;
}

interface Published {
  result: PostResultRow;
  attempts: PostAttemptRow[];
  commits: number;
}

async function publish(
  { commit, look = answer(200, { posts: [] }) }: Answers,
  platform: Platform = sandbox,
): Promise<Published> {
  const before = server.requests.length;
  server.respondWith(({ method }) => (method === 'POST' ? commit : look));
  const dependencies: AdvanceDependencies = {
    db: database.db,
    vault: rowsVault,
    notifier,
    platforms: createPlatforms([platform]),
    now: Date.now,
    clock: {
      ...defaultTargetClock,
      reconcileDelaysMs: [0, 1],
      unavailableDelaysMs: [1],
      confirmFirstMs: 1,
    },
    refreshes: createPendingRefreshes(pino({ level: 'silent' })),
    heartbeats: createCallHeartbeats(heartbeatsOfTargets(database.db), defaultTargetClock),
    reads: createGroupedReads(database.db),
    writes: createGroupedWrites({ db: database.db, notifier, previewEvents: false }),
    places: createCallPlaces(100),
    log: pino({ level: 'silent' }),
    loadMedia: () => Promise.resolve([]),
    previewEvents: false,
  };
  const { resultIds } = await addTargets(database.db, await addAccount(database.db));
  const result = await advanceToEnd(dependencies, resultIds[0]!);
  const attempts = await database.db
    .selectFrom('post_attempts')
    .selectAll()
    .where('result_id', '=', result.id)
    .orderBy('number')
    .execute();
  const commits = server.requests.slice(before).filter(({ method }) => method === 'POST').length;
  return { result, attempts, commits };
}

const published = (post: object) => answer(201, { id: 'p1', url: 'https://n.test/p1', ...post });
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('a refusal', () => {
  test('ends the target even if its text has NUL and half surrogate pairs', async () => {
    const { result, attempts } = await publish({
      commit: refusal(400, { code: 'bad\0\uD800', message: 'No\0t \uDC00 this' }),
    });
    expect(result).toMatchObject({
      status: 'failed',
      error_code: 'rejected',
      error_message: 'The sandbox refused the request: bad\uFFFD: Not \uFFFD this',
      platform_error_code: 'bad\uFFFD',
      provider_error: { status: 400, code: 'bad\uFFFD', message: 'Not \uFFFD this' },
    });
    expect(attempts).toMatchObject([
      {
        outcome: 'rejected',
        error_code: 'bad\uFFFD',
        error_message: 'The sandbox refused the request: bad\uFFFD: Not \uFFFD this',
      },
    ]);
  });

  test('is kept in part, and says so, if it has many megabytes', async () => {
    const long = '😀'.repeat(2_000_000);
    const { result, attempts } = await publish({
      commit: refusal(400, { code: long, message: long }),
    });
    expect(result.error_message!.length).toBeLessThan(600);
    expect(result.platform_error_code).toHaveLength(200);
    expect(attempts[0]!.error_code).toHaveLength(200);
    for (const { provider_error } of [result, attempts[0]!]) {
      expect(provider_error).toMatchObject({ status: 400, is_cut: true });
      expect(bytesOf(provider_error)).toBeGreaterThan(2_000);
      expect(bytesOf(provider_error)).toBeLessThanOrEqual(4_096);
    }
  });

  test('gets our own message if it has none', async () => {
    const { result } = await publish({ commit: refusal(400, { code: '', message: ' ' }) });
    expect(result).toMatchObject({ error_message: 'The sandbox refused the request: HTTP 400' });
  });
});

const answering = (given: Partial<PublishedAnswer>): Platform => ({
  ...sandbox,
  commit: () => {
    const published = { externalId: 'p1', url: null, visibility: null, ...given };
    return Promise.resolve({ outcome: 'published', published });
  },
});

describe('a post reported as published', () => {
  test('has an id and a url that can be stored', async () => {
    const { result, commits } = await publish({
      commit: published({ id: `p\0\uD800${'x'.repeat(100_000)}` }),
    });
    expect(result).toMatchObject({ status: 'published', url: 'https://n.test/p1' });
    expect(result.external_id).toBe(`p\uFFFD${'x'.repeat(8_190)}`);
    expect(commits).toBe(1);
  });

  test('keeps an AT URI of any legal length as its whole id', async () => {
    const id = `at://did:web:${'a'.repeat(2_040)}/${'b'.repeat(317)}/${'c'.repeat(512)}`;
    const { result } = await publish({ commit: published({ id }) });
    expect(result.external_id).toBe(id);
  });

  test('says what is left to do in the app of the network', async () => {
    const draft = { visibility: 'draft', nextAction: 'finish_in_app' } as const;
    const { result } = await publish({ commit: published({}) }, answering(draft));
    expect(result).toMatchObject({
      status: 'published',
      visibility: 'draft',
      next_action: 'finish_in_app',
    });
  });

  test.each([
    ['javascript:alert(1)'],
    ['java\nscript:alert(1)'],
    ['data:text/html,x'],
    ['/p1'],
    [''],
    ['https://n.test/\0'],
    ['https://n.test/\uD800'],
    [`https://n.test/${'x'.repeat(2_048)}`],
  ])('does not show the link %j', async (url) => {
    const { result } = await publish({ commit: published({ url }) });
    expect(result).toMatchObject({ status: 'published', external_id: 'p1', url: null });
  });

  test.each([
    [
      { relays: [{ relay: 'wss://a\0', result: 'accepted' }] },
      { relays: [{ relay: 'wss://a', result: 'accepted' }] },
    ],
    [undefined, null],
  ])('stores the details of the network with its attempt: %j', async (detail, kept) => {
    const { attempts } = await publish(
      { commit: published({}) },
      answering(detail ? { detail } : {}),
    );
    expect(attempts).toMatchObject([{ outcome: 'published', provider_detail: kept }]);
  });

  test('stores at most 4 KiB of details', async () => {
    const { attempts } = await publish(
      { commit: published({}) },
      answering({ detail: { words: 'x'.repeat(9_999) } }),
    );
    const [attempt] = attempts;
    expect(attempt!.provider_detail).toMatchObject({ is_cut: true });
    expect(bytesOf(attempt!.provider_detail)).toBeLessThanOrEqual(4_096);
  });

  test.each([
    ['followers', 'followers'],
    ['a\0b', 'ab'],
    [null, null],
  ])('shows the visibility %j', async (visibility, shown) => {
    const { result } = await publish({ commit: published({}) }, answering({ visibility }));
    expect(result).toMatchObject({ status: 'published', visibility: shown });
  });

  test('is published even without an ID, and is not checked again', async () => {
    const { result, attempts } = await publish(
      { commit: published({}) },
      answering({ externalId: null, url: 'https://n.test/p1' }),
    );
    expect(result).toMatchObject({
      status: 'published',
      external_id: null,
      url: 'https://n.test/p1',
    });
    expect(attempts).toMatchObject([{ phase: 'commit', outcome: 'published' }]);
  });

  test.each([[''], [' '], ['\0']])('is looked for if its id is %j', async (id) => {
    const found = answer(200, { posts: [{ id: 'p2', url: 'https://n.test/p2' }] });
    const { result, attempts, commits } = await publish({ commit: published({ id }), look: found });
    expect(result).toMatchObject({ status: 'published', external_id: 'p2', attempts: 1 });
    expect(attempts).toMatchObject([
      { phase: 'commit', outcome: 'unknown' },
      { phase: 'reconcile', outcome: 'published' },
    ]);
    expect(commits).toBe(1);
  });
});

describe('a check', () => {
  const lost: Reply = 'reset';

  test('is repeated a limited number of times even if its error text has NUL', async () => {
    const { result, attempts } = await publish({
      commit: lost,
      look: refusal(500, { code: '\0', message: '\uD800\0' }),
    });
    expect(result).toMatchObject({ status: 'failed', error_code: 'outcome_unknown' });
    // Two checks, and one repeat of the last.
    const checks = ['reconcile', 'reconcile', 'reconcile'];
    expect(attempts.map(({ phase }) => phase)).toEqual(['commit', ...checks]);
  });

  test('counts as unknown if it finds a post without an ID, and no commit follows', async () => {
    const { result, commits } = await publish({
      commit: lost,
      look: answer(200, { posts: [{ id: '', url: 'https://n.test/p1' }] }),
    });
    expect(result).toMatchObject({ status: 'failed', error_code: 'outcome_unknown' });
    expect(commits).toBe(1);
  });

  test('keeps the parts of a found post that can be stored', async () => {
    const { result } = await publish({
      commit: lost,
      look: answer(200, { posts: [{ id: 'p\0 1', url: 'javascript:1' }] }),
    });
    expect(result).toMatchObject({ status: 'published', external_id: 'p 1', url: null });
  });
});

describe('a network that finishes later', () => {
  const polledWith: ProviderState[] = [];
  const checkedWith: ProviderState[] = [];
  const later = (state: ProviderState): Platform => ({
    ...sandbox,
    commit: () => Promise.resolve({ outcome: 'accepted', state }),
    confirm(target, signal) {
      polledWith.push(target.state);
      return sandbox.commit(target, signal);
    },
    reconcile(target, signal) {
      checkedWith.push(target.state);
      return sandbox.reconcile!(target, signal);
    },
  });

  test('is polled with a state that can be stored', async () => {
    const state = { 'id\0': ['\uD800'] };
    const { result } = await publish({ commit: published({}) }, later(state));
    expect(result).toMatchObject({ status: 'published' });
    expect(polledWith.at(-1)).toEqual({ id: ['\uFFFD'] });
  });

  test('is checked for the post if its state is too large', async () => {
    const state = { id: 'x'.repeat(100_000) };
    const look = answer(200, { posts: [{ id: 'p3', url: 'https://n.test/p3' }] });
    const { result } = await publish({ commit: published({}), look }, later(state));
    expect(result).toMatchObject({ status: 'published', external_id: 'p3' });
    expect(checkedWith.at(-1)).toEqual({});
  });

  test('is checked for the post if it never names an id', async () => {
    const look = answer(200, { posts: [{ id: 'p4', url: 'https://n.test/p4' }] });
    const { result, attempts } = await publish({ commit: published({ id: '' }), look }, later({}));
    expect(result).toMatchObject({ status: 'published', external_id: 'p4' });
    expect(attempts.map(({ phase }) => phase)).toEqual(['commit', 'confirm', 'reconcile']);
  });
});

describe('prepare', () => {
  test('stores its state, and refuses one that is too large', async () => {
    const states: ProviderState[] = [];
    const preparing = (state: ProviderState): Platform => ({
      ...sandbox,
      definition: { ...sandbox.definition, preparesOnlyMedia: false },
      prepare: () => Promise.resolve({ outcome: 'prepared', state }),
      commit(target, signal) {
        states.push(target.state);
        return sandbox.commit(target, signal);
      },
    });
    const { result } = await publish({ commit: published({}) }, preparing({ upload: 'u\0' }));
    expect(result).toMatchObject({ status: 'published', provider_state: null });
    expect(states).toEqual([{ upload: 'u' }]);
    const large = { upload: 'x'.repeat(100_000) };
    expect((await publish({ commit: published({}) }, preparing(large))).result).toMatchObject({
      status: 'failed',
      error_code: 'unavailable',
      failure_stage: 'prepare',
    });
  });
});

describe('a refresh', () => {
  test('ends the target even if the text of the refusal has NUL', async () => {
    const words = { code: 'token_expired\0', message: 'Ended.\0' };
    const { result } = await publish({ commit: refusal(401, words) });
    expect(result).toMatchObject({
      status: 'failed',
      error_code: 'token_expired',
      error_message: 'The sandbox refused the credentials: token_expired: Ended.',
    });
  });
});
