// The sandbox's connector in threads, under throttling, and with every fault that a network can have.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommitOutcome, Platform, Target } from '../../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/rows/database.ts';
import { createTestSandbox, toTarget, type TestSandbox } from '../../../support/app/sandbox.ts';
import { formOf } from '../../../support/networks/connection.ts';

let database: TestDatabase;
let sandbox: TestSandbox;
let listening: Awaited<ReturnType<TestSandbox['listen']>>;
let platform: Platform;
let credentials: Target['credentials'];
const signal = AbortSignal.timeout(25_000);

beforeAll(async () => {
  database = await createTestDatabase();
  sandbox = createTestSandbox(database.db);
  listening = await sandbox.listen();
  platform = listening.platform;
  credentials = (await formOf(platform).run({ handle: 'ada' }, signal)).credentials;
});
afterAll(async () => {
  await listening.close();
  await database.drop();
});

function commit(
  resultId: string,
  platformOptions: Target['platformOptions'],
  target: Partial<Target> = {},
  stop = signal,
): Promise<CommitOutcome> {
  return platform.commit(toTarget(credentials, { resultId, platformOptions, ...target }), stop);
}

async function errorOf(work: Promise<unknown>): Promise<PlatformError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof PlatformError) return error;
  throw new Error('It did not throw a PlatformError.', { cause: error });
}

function externalIdOf(outcome: CommitOutcome): string {
  return outcome.outcome === 'published' ? outcome.published.externalId! : '';
}

describe('commit', () => {
  test('sends the post that it replies to', async () => {
    const replyTo = externalIdOf(await commit('res_part_1', {}));
    await commit('res_part_2', {}, { replyTo });
    const { reply_to } = await database.db
      .selectFrom('sandbox_posts')
      .selectAll()
      .where('reference', '=', 'res_part_2')
      .executeTakeFirstOrThrow();
    expect(reply_to).toBe(replyTo);
  });

  test('is rejected if the post to reply to is unknown', async () => {
    const error = await errorOf(commit('res_lonely', {}, { replyTo: 'nowhere' }));
    expect(error).toMatchObject({
      kind: 'rejected',
      message:
        'The sandbox refused the request: reply_to_not_found: The post to reply to is not on the sandbox.',
      options: { platformCode: 'reply_to_not_found' },
    });
    expect(await sandbox.countPosts('res_lonely')).toBe(0);
  });

  test('returns the wait that the network requests with a success', async () => {
    const outcome = await commit('res_throttled', { throttle_s: 90 });
    const throttle = { scope: 'account', waitMs: 90_000 };
    expect(outcome).toMatchObject({ outcome: 'published', throttle });
    expect((await commit('res_free', {})).throttle).toBeUndefined();
  });

  test('reports that a refusal limits the account, and the wait if it is known', async () => {
    const told = await errorOf(commit('res_limited', { outcome: 'rate_limited' }));
    expect(told.options).toMatchObject({ throttled: 'account', retryAfterMs: 1_000 });
    const options = { outcome: 'rate_limited', without_retry_after: true };
    const untold = await errorOf(commit('res_limited_untold', options));
    expect(untold.kind).toBe('rate_limited');
    expect(untold.options.retryAfterMs).toBeUndefined();
  });

  test('reads every option from the caption too', async () => {
    const caption = '[sandbox outcome=rate_limited without_retry_after=true times=1 throttle_s=5]';
    const error = await errorOf(commit('res_worded', {}, { caption }));
    expect(error.options.retryAfterMs).toBeUndefined();
    expect((await commit('res_worded', {}, { caption })).throttle).toBeDefined();
  });
});

describe('a fault', () => {
  test.each([
    ['server_error', 'absent', 500],
    ['server_error_after', 'published', 500],
    ['connection_cut', 'absent', undefined],
    ['answer_lost', 'published', undefined],
  ] as const)('%s leaves the outcome unknown, and the post %s', async (outcome, found, status) => {
    const resultId = `res_${outcome}`;
    const error = await errorOf(commit(resultId, { outcome }));
    expect(error.kind).toBe('unknown_outcome');
    expect(error.options.providerError?.['status']).toBe(status);
    expect(await sandbox.countPosts(resultId)).toBe(found === 'published' ? 1 : 0);
    const looked = await platform.reconcile!(toTarget(credentials, { resultId }), signal);
    expect(looked.outcome).toBe(found);
  });

  test('lost_and_hidden leaves the outcome unknown, and no check finds the post', async () => {
    const resultId = 'res_hidden';
    const error = await errorOf(commit(resultId, { outcome: 'lost_and_hidden' }));
    expect(error.kind).toBe('unknown_outcome');
    expect(await sandbox.countPosts(resultId)).toBe(1);
    const looked = platform.reconcile!(toTarget(credentials, { resultId }), signal);
    expect((await errorOf(looked)).kind).toBe('unavailable');
  });

  test('hang times out without an answer, and nothing is posted', async () => {
    const startedAt = Date.now();
    const hanging = commit('res_hang', { outcome: 'hang' }, {}, AbortSignal.timeout(300));
    expect((await errorOf(hanging)).kind).toBe('unknown_outcome');
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(299);
    expect(await sandbox.countPosts('res_hang')).toBe(0);
  });

  test('ends after the requested number of refusals', async () => {
    const options = { outcome: 'connection_cut', times: 1 };
    expect((await errorOf(commit('res_once', options))).kind).toBe('unknown_outcome');
    expect((await commit('res_once', options)).outcome).toBe('published');
    expect(await sandbox.countPosts('res_once')).toBe(1);
  });
});

describe('options', () => {
  test.each([
    [{ throttle_s: 1, without_retry_after: false, outcome: 'hang' }, true],
    [{ throttle_s: 0 }, false],
    [{ throttle_s: 3_601 }, false],
    [{ without_retry_after: 'true' }, false],
    [{ outcome: 'perhaps' }, false],
    [{ reply_to: 'x' }, false],
    [{ media_urls: [] }, false],
  ])('%j is accepted: %s', (options, isTaken) => {
    expect(platform.definition.options.safeParse(options).success).toBe(isTaken);
  });
});
