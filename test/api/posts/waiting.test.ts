// What a target that waits says of it: why, in REST and in GraphQL, and nothing once it goes on.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findWaitReason } from '../../../api/posts/waiting.ts';
import { pause } from '../../../api/cli/pause.ts';
import { resume } from '../../../api/cli/resume.ts';
import type { ClockState, PostResultRow } from '../../../schema/database/tables.ts';
import type { Phase, Post } from '../../../schema/posts/posts.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { ask } from '../../support/graphql/graphql.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    env: {
      FANFARE_UNAVAILABLE_DELAYS_MS: '1500,1500',
      FANFARE_RECONCILE_DELAYS_MS: '0,500,500',
    },
  });
});
afterEach(() => resume(app.context.db, app.tenant.projectId));
afterAll(() => app.stop());

const handles = { count: 0 };

/** One account for each test: a rate limit holds for the whole account. */
async function create(target: object, ...more: object[]): Promise<Post> {
  const { id: account_id } = await app.tenant.connectSandbox(`ada-${handles.count++}`);
  return app.tenant.createPost({
    caption: 'hello',
    platform_posts: [target, ...more].map((each) => ({ account_id, ...each })),
  });
}

const read = async ({ id }: Post) => (await app.api.get(`/v1/posts/${id}`)).body.data as Post;

async function waitingFor(post: Post) {
  const { results } = await read(post);
  return results.map(({ waiting_for }) => waiting_for);
}

async function endsWithoutWaiting(post: Post): Promise<void> {
  const { results } = await app.tenant.waitForPost(post.id);
  expect(results.map((result) => [result.status, result.waiting_for])).toEqual(
    results.map(() => ['published', null]),
  );
}

const soon = { timeout: 5_000, interval: 20 };

describe('a target that waits', () => {
  test.each([
    ['unavailable', 'network'],
    ['rate_limited', 'rate_limit'],
  ])('after %s says %s, and until when', async (outcome, reason) => {
    const post = await create({ platform_options: { outcome, times: 1 } });
    await expect.poll(() => waitingFor(post), soon).toEqual([reason]);
    const { post: asked } = await ask(
      app,
      'query ($id: ID!) { post(id: $id) { results { waitingFor nextAttemptAt } } }',
      { id: post.id },
    );
    expect(asked.results).toEqual([
      { waitingFor: reason.toUpperCase(), nextAttemptAt: expect.any(String) },
    ]);
    await endsWithoutWaiting(post);
  });

  test('under a pause says so, and says what it waits for once it is resumed', async () => {
    await pause(app.context.db, app.tenant.projectId);
    const post = await create({ platform_options: { outcome: 'unavailable', times: 1 } });
    await expect.poll(() => waitingFor(post), soon).toEqual(['pause']);
    await resume(app.context.db, app.tenant.projectId);
    await expect.poll(() => waitingFor(post), soon).toEqual(['network']);
    await endsWithoutWaiting(post);
  });

  test('for a limit after a pause says the limit alone', async () => {
    const { id } = await app.tenant.connectSandbox('limited');
    const post = (platform_options: object) =>
      app.tenant.createPost({
        caption: 'hello',
        platform_posts: [{ account_id: id, platform_options }],
      });
    await app.tenant.waitForPost((await post({ throttle_s: 4 })).id);
    await pause(app.context.db, app.tenant.projectId);
    const held = await post({});
    await expect.poll(() => waitingFor(held), soon).toEqual(['pause']);
    await resume(app.context.db, app.tenant.projectId);
    await expect.poll(() => waitingFor(held), soon).toEqual(['rate_limit']);
    await endsWithoutWaiting(held);
  });

  test('as part of a thread or as a comment says that it waits for what it answers', async () => {
    const slow = { platform_options: { delay_ms: 1_000 }, first_comment: 'below' };
    const post = await create(
      { ...slow, thread_position: 1 },
      { caption: 'two', thread_position: 2 },
    );
    await expect.poll(() => waitingFor(post), soon).toEqual([null, 'answered_post']);
    const [first] = (await read(post)).results;
    expect(first!.first_comment!.waiting_for).toBe('answered_post');
    await endsWithoutWaiting(post);
  });

  test('for a lost answer says so, until nobody can tell what became of it', async () => {
    const post = await create({ platform_options: { outcome: 'lost_and_hidden' } });
    await expect.poll(() => waitingFor(post), soon).toEqual(['lost_answer']);
    const { results } = await app.tenant.waitForPost(post.id);
    expect(results).toMatchObject([
      { error_code: 'outcome_unknown', next_action: 'check_network', waiting_for: null },
    ]);
    const path = `/v1/posts/${post.id}/results/${results[0]!.id}/retry`;
    expect((await app.api.post(path)).status).toBe(202);
    const again = await app.tenant.waitForPost(post.id);
    expect(again.results).toMatchObject([{ error_code: 'outcome_unknown', attempts: 1 }]);
  });

  test('for its time only waits for nothing', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await app.tenant.connectSandbox('bob');
    const parts = [1, 2].map((thread_position) => ({ account_id: id, thread_position }));
    const post = await app.tenant.createPost({
      caption: 'later',
      scheduled_at,
      platform_posts: parts,
    });
    expect(await waitingFor(post)).toEqual([null, null]);
  });
});

describe('findWaitReason', () => {
  const dueAt = new Date();
  const row = (phase: Phase, clock: ClockState, more: Partial<PostResultRow> = {}) =>
    ({
      id: 'res_1',
      answers_result_id: null,
      status: 'publishing',
      phase,
      phase_state: 'ready',
      clock,
      next_attempt_at: dueAt,
      is_paused: false,
      ...more,
    }) as PostResultRow;
  const reasonOf = (each: PostResultRow) => findWaitReason(each, [each]);

  test('tells the phases that look from those that send', () => {
    expect(reasonOf(row('prepare', {}))).toBe('network');
    expect(reasonOf(row('commit', {}))).toBe('network');
    expect(reasonOf(row('confirm', {}))).toBe('confirmation');
    expect(reasonOf(row('reconcile', {}))).toBe('lost_answer');
    expect(reasonOf(row('reconcile', { rateLimitedSinceMs: 1 }))).toBe('rate_limit');
  });

  test('knows a place under the ceiling from one that is used', () => {
    const turnAtMs = dueAt.getTime();
    expect(reasonOf(row('commit', { turnAtMs }))).toBe('rate_limit');
    expect(reasonOf(row('commit', { turnAtMs: turnAtMs - 1_000 }))).toBe('network');
  });

  test('says nothing of a target that is under way, or has ended', () => {
    expect(reasonOf(row('commit', {}, { phase_state: 'begun' }))).toBeNull();
    expect(reasonOf(row('commit', {}, { next_attempt_at: null }))).toBeNull();
    expect(reasonOf(row('commit', {}, { status: 'canceled', is_paused: true }))).toBeNull();
  });
});
