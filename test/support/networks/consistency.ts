// Checks that hold for every target that has ended, after any failure.
import { expect } from 'vitest';
import { concludePost } from '../../../activities/publishing/conclude-post.ts';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import type { Db, PostResultRow } from '../../../schema/database/tables.ts';
import { postingErrors, type PostingErrorCode } from '../../../schema/posts/errors.ts';
import type { SimulatedNetwork } from './network.ts';
import { listOutcomeEvents, listTargets, run, type TestPost } from './posting.ts';

/** Checks and returns the post's targets. `areAttemptsComplete`: no worker died between a call and its record. */
export async function expectConsistent(
  dependencies: AdvanceDependencies,
  network: SimulatedNetwork,
  post: TestPost,
  { areAttemptsComplete = true } = {},
): Promise<PostResultRow[]> {
  const { db } = dependencies;
  await concludePost(dependencies, { postId: post.postId, run });
  await concludePost(dependencies, { postId: post.postId, run });
  const rows = await listTargets(db, post);
  for (const row of rows) {
    await expectOneAtMost(network, row);
    expectNextAction(row);
    await expectAttempts(db, row, areAttemptsComplete);
  }
  await expectOneEvent(db, post, rows);
  await expectCountedOnce(db, post, rows);
  await expectNoSecrets(db, network, post);
  return rows;
}

async function expectOneAtMost(network: SimulatedNetwork, row: PostResultRow): Promise<void> {
  const posts = (await network.listPosts()).filter(({ text }) => text === row.caption);
  expect(posts.length).toBeLessThanOrEqual(1);
  if (network.media && row.kind === 'post') {
    const hashes = network.media.map(({ sha256 }) => sha256);
    for (const { media } of posts) expect(media).toEqual(hashes);
  }
  if (row.status === 'published') expect(posts).toMatchObject([{ id: row.external_id }]);
  else expect(row.external_id).toBeNull();
  const isUnknown = row.error_code === 'outcome_unknown';
  if (row.status !== 'published' && !isUnknown) expect(posts).toEqual([]);
}

function expectNextAction(row: PostResultRow): void {
  if (row.status !== 'failed') {
    expect(row).toMatchObject({ error_code: null, is_retriable: false, next_action: 'none' });
    return;
  }
  const { isRetriable, nextAction } = postingErrors[row.error_code as PostingErrorCode];
  expect(row).toMatchObject({ is_retriable: isRetriable, next_action: nextAction });
  expect(row.error_message).toBeTruthy();
  expect(row.next_attempt_at).toBeNull();
}

async function expectAttempts(db: Db, row: PostResultRow, areComplete: boolean): Promise<void> {
  const attempts = await db
    .selectFrom('post_attempts')
    .selectAll()
    .where('result_id', '=', row.id)
    .orderBy('number')
    .execute();
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, i) => i + 1));
  expect(attempts).toHaveLength(row.steps);
  expect(attempts.filter(({ phase }) => phase === 'commit')).toHaveLength(row.attempts);
  if (row.status === 'published') expect(attempts.at(-1)).toMatchObject({ outcome: 'published' });
  if (!areComplete) return;
  expect(attempts.filter(({ outcome }) => outcome === 'begun')).toEqual([]);
  const failed = attempts.filter(({ outcome }) => failures.has(outcome));
  for (const attempt of failed) expect(attempt.error_message).toBeTruthy();
}

const failures = new Set([
  'reauthorize',
  'rejected',
  'rate_limited',
  'unavailable',
  'unknown_outcome',
]);

async function expectOneEvent(db: Db, post: TestPost, rows: PostResultRow[]): Promise<void> {
  const targets = rows.filter(({ kind, status }) => kind === 'post' && status !== 'canceled');
  const publishedCount = targets.filter(({ status }) => status === 'published').length;
  const failedKind = publishedCount === 0 ? 'post.failed' : 'post.partial';
  const kind = publishedCount === targets.length ? 'post.published' : failedKind;
  const events = await listOutcomeEvents(db, post);
  expect(events.map((event) => event.kind)).toEqual(targets.length === 0 ? [] : [kind]);
}

async function expectCountedOnce(db: Db, post: TestPost, rows: PostResultRow[]): Promise<void> {
  const { published } = await db
    .selectFrom('account_usage')
    .select('published')
    .where('social_account_id', '=', post.accountId)
    .executeTakeFirstOrThrow();
  const counts = ({ kind, status, error_code }: PostResultRow) =>
    kind === 'post' && (status === 'published' || error_code === 'outcome_unknown');
  // Canceled targets can still count, because the `cancel` of these tests doesn't release their usage.
  const rest = rows.filter(({ status, usage_month }) => status === 'canceled' && usage_month);
  expect(published).toBe(rows.filter(counts).length + rest.length);
}

/** Only the vault holds tokens. */
async function expectNoSecrets(db: Db, network: SimulatedNetwork, post: TestPost): Promise<void> {
  const shown = JSON.stringify([
    await listTargets(db, post),
    await db
      .selectFrom('post_attempts')
      .selectAll()
      .where('result_id', 'in', post.resultIds)
      .execute(),
    await listOutcomeEvents(db, post),
    await db
      .selectFrom('events')
      .selectAll()
      .where('social_account_id', '=', post.accountId)
      .execute(),
  ]);
  expect(network.listSecrets().filter((secret) => shown.includes(secret))).toEqual([]);
}
