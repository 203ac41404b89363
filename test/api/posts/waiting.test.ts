// A waiting target shows the reason in REST and in GraphQL, and nothing once it continues.
import { describe, expect, test, vi } from 'vitest';
import { findWaitReason } from '../../../schema/database/posts/wait-reason.ts';
import { pause, resume } from '../../../api/cli/pause.ts';
import type { ClockState, PostResultRow } from '../../../schema/database/tables.ts';
import type { Phase, Post } from '../../../schema/posts/posts.ts';
import { useApp } from '../../support/app/app.ts';
import { ask } from '../../support/graphql/graphql.ts';

const app = useApp({
  env: {
    FANFARE_UNAVAILABLE_DELAYS_MS: '3000,3000',
    FANFARE_RECONCILE_DELAYS_MS: '0,500,500',
  },
});

/** A project of its own, so that a pause holds no other test. */
async function createSender() {
  const tenant = await app.createTenant();
  const { id: account_id } = await tenant.connectSandbox('ada');
  const waitingFor = async ({ id }: Post) => {
    const { body } = await tenant.api.get(`/v1/posts/${id}`);
    return (body.data as Post).results.map(({ waiting_for }) => waiting_for);
  };
  return {
    tenant,
    create: (...targets: object[]) =>
      tenant.createPost({
        caption: 'hello',
        platform_posts: targets.map((target) => ({ account_id, ...target })),
      }),
    pause: () => pause(app.context.db, tenant.projectId),
    resume: () => resume(app.context, tenant.projectId),
    waitingFor,
    expectSoon: (post: Post, reasons: (string | null)[]) =>
      vi.waitFor(async () => expect(await waitingFor(post)).toEqual(reasons), {
        timeout: 10_000,
        interval: 20,
      }),
    async expectPublished({ id }: Post): Promise<void> {
      const { results } = await tenant.waitForPost(id);
      expect(results.map((result) => [result.status, result.waiting_for])).toEqual(
        results.map(() => ['published', null]),
      );
    },
  };
}

describe.concurrent('a target that waits', () => {
  test.each([
    ['unavailable', 'network'],
    ['rate_limited', 'rate_limit'],
  ])('says after %s that it waits for %s, and until when', async (outcome, reason) => {
    const { tenant, create, expectSoon, expectPublished } = await createSender();
    const post = await create({ platform_options: { outcome, times: 1 } });
    await expectSoon(post, [reason]);
    const { post: asked } = await ask(
      app,
      'query ($id: ID!) { post(id: $id) { results { waitingFor nextAttemptAt } } }',
      { id: post.id },
      tenant.key,
    );
    expect(asked.results).toEqual([
      { waitingFor: reason.toUpperCase(), nextAttemptAt: expect.any(String) },
    ]);
    await expectPublished(post);
  });

  test('shows a pause while it lasts, and another reason afterwards', async () => {
    const sender = await createSender();
    await sender.pause();
    const post = await sender.create({ platform_options: { outcome: 'unavailable', times: 1 } });
    await sender.expectSoon(post, ['pause']);
    await sender.resume();
    await sender.expectSoon(post, ['network']);
    await sender.expectPublished(post);
  });

  test('names the limit alone once the pause has ended', async () => {
    const sender = await createSender();
    await sender.expectPublished(await sender.create({ platform_options: { throttle_s: 4 } }));
    await sender.pause();
    const held = await sender.create({});
    await sender.expectSoon(held, ['pause']);
    await sender.resume();
    await sender.expectSoon(held, ['rate_limit']);
    await sender.expectPublished(held);
  });

  test('shows that it waits for the part before it, in a thread or as a comment', async () => {
    const { tenant, create, expectSoon, expectPublished } = await createSender();
    const slow = { platform_options: { delay_ms: 1_000 }, first_comment: 'below' };
    const post = await create(
      { ...slow, thread_position: 1 },
      { caption: 'two', thread_position: 2 },
    );
    await expectSoon(post, [null, 'answered_post']);
    const { body } = await tenant.api.get(`/v1/posts/${post.id}`);
    expect(body.data.results[0].first_comment.waiting_for).toBe('answered_post');
    await expectPublished(post);
  });

  test('says that it waits for a lost answer, until the outcome is unknown', async () => {
    const { tenant, create, expectSoon } = await createSender();
    const post = await create({ platform_options: { outcome: 'lost_and_hidden' } });
    await expectSoon(post, ['lost_answer']);
    const { results } = await tenant.waitForPost(post.id);
    expect(results).toMatchObject([
      { error_code: 'outcome_unknown', next_action: 'check_network', waiting_for: null },
    ]);
    const path = `/v1/posts/${post.id}/results/${results[0]!.id}/retry`;
    expect((await tenant.api.post(path)).status).toBe(202);
    const again = await tenant.waitForPost(post.id);
    expect(again.results).toMatchObject([{ error_code: 'outcome_unknown', attempts: 1 }]);
  });

  test('has no reason before its scheduled time', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const { tenant, waitingFor } = await createSender();
    const { id } = await tenant.connectSandbox('bob');
    const parts = [1, 2].map((thread_position) => ({ account_id: id, thread_position }));
    const post = await tenant.createPost({
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

  test('distinguishes phases that check from phases that send', () => {
    expect(reasonOf(row('prepare', {}))).toBe('network');
    expect(reasonOf(row('commit', {}))).toBe('network');
    expect(reasonOf(row('confirm', {}))).toBe('confirmation');
    expect(reasonOf(row('reconcile', {}))).toBe('lost_answer');
    expect(reasonOf(row('reconcile', { rateLimitedSinceMs: 1 }))).toBe('rate_limit');
  });

  test('names a rate limit while the target waits for its slot, and not afterwards', () => {
    const slotAtMs = dueAt.getTime();
    expect(reasonOf(row('commit', { slotAtMs }))).toBe('rate_limit');
    expect(reasonOf(row('commit', { slotAtMs: slotAtMs - 1_000 }))).toBe('network');
  });

  test('says nothing of a target that is under way, or has ended', () => {
    expect(reasonOf(row('commit', {}, { phase_state: 'begun' }))).toBeNull();
    expect(reasonOf(row('commit', {}, { next_attempt_at: null }))).toBeNull();
    expect(reasonOf(row('commit', {}, { status: 'canceled', is_paused: true }))).toBeNull();
  });
});
