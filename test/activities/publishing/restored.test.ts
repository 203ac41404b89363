// Targets after a restore, with rows older than their posts: networks are checked before anything is sent.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { cancelResults, reopenResult } from '../../../schema/database/posts/changes.ts';
import { insertRestore } from '../../../schema/database/dispatch/restores.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { containerThenPublish } from '../../support/networks/container-then-publish.ts';
import { mastodon } from '../../support/networks/mastodon/subject.ts';
import type { NetworkKind, SimulatedNetwork } from '../../support/networks/network.ts';
import {
  advanceToEnd,
  dependenciesOf,
  disconnect,
  listTargets,
  shortClock,
  writePost,
  type Shape,
  type TestPost,
} from '../../support/networks/posting.ts';
import { toKind } from '../../support/networks/contract/kind.ts';
import { sandbox } from '../../support/networks/contract/sandbox.ts';
import { slackSubject } from '../../support/networks/slack/subject.ts';
import { telegram } from '../../support/networks/telegram/subject.ts';
import { uploadSession } from '../../support/networks/upload-session.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const database = useDatabase();

/** Publishes the post, then resets its rows to those of an accepted post. */
async function publishAndRestore(network: SimulatedNetwork, shape: Shape = 'single') {
  const { db } = database;
  const post = await writePost(db, network, shape);
  const { rows: accepted } = await sql<{ rows: unknown }>`
    select jsonb_agg(r) as rows from post_results r where post_id = ${post.postId}`.execute(db);
  await publish(network, post);
  const published = await listTargets(db, post);
  expect(published.map(({ status }) => status)).toEqual(published.map(() => 'published'));
  await db.deleteFrom('post_results').where('post_id', '=', post.postId).execute();
  await sql`
    insert into post_results select * from jsonb_populate_recordset(
      null::post_results, ${JSON.stringify(accepted[0]!.rows)}::jsonb)`.execute(db);
  await insertRestore(db);
  return { post, published };
}

async function publish(network: SimulatedNetwork, post: TestPost): Promise<void> {
  for (const id of post.resultIds) await advanceToEnd(dependenciesOf(database.db, network), id);
}

const setDue = (post: TestPost, hours: number) =>
  database.db
    .updateTable('posts')
    .set({ due_at: sql<Date>`now() + ${hours} * interval '1 hour'` })
    .where('id', '=', post.postId)
    .execute();

const attempted = async ({ resultIds }: TestPost) => {
  const rows = await database.db
    .selectFrom('post_attempts')
    .select(['phase', 'outcome'])
    .where('result_id', 'in', resultIds)
    .orderBy('result_id')
    .orderBy('number')
    .execute();
  return rows.map(({ phase, outcome }) => `${phase} ${outcome}`);
};

const kinds: NetworkKind[] = [
  toKind(sandbox),
  toKind(mastodon),
  containerThenPublish,
  uploadSession,
];

describe.each(kinds.map((kind) => [kind.name, kind] as const))('at %s', (_, kind) => {
  test.each(['single', 'thread', 'commented'] as const)(
    'a post published after the backup is found: %s',
    async (shape) => {
      await using network = await kind.start(database.db);
      const { post, published } = await publishAndRestore(network, shape);
      const posts = await network.listPosts();
      await publish(network, post);
      expect(await network.listPosts()).toEqual(posts);
      const rows = await listTargets(database.db, post);
      expect(rows.map((row) => [row.status, row.external_id])).toEqual(
        published.map((row) => ['published', row.external_id]),
      );
      expect(await attempted(post)).toEqual(rows.map(() => 'reconcile published'));
    },
  );

  test('an absent post is published after one check, unless it may have been removed', async () => {
    await using network = await kind.start(database.db);
    const post = await writePost(database.db, network);
    await insertRestore(database.db);
    await publish(network, post);
    if (network.platform.unpublish) {
      expect(await network.listPosts()).toEqual([]);
      const [unknown] = await listTargets(database.db, post);
      expect(unknown).toMatchObject({ error_code: 'outcome_unknown', attempts: 0 });
      await inQuietTransaction(database.db, (trx) =>
        reopenResult(trx, unknown!.project_id, unknown!),
      );
      await publish(network, post);
      expect(await listTargets(database.db, post)).toMatchObject([{ status: 'published' }]);
      return;
    }
    expect(await network.listPosts()).toHaveLength(1);
    const [check, ...rest] = await attempted(post);
    expect(check).toBe('reconcile absent');
    expect(rest.filter((attempt) => attempt.startsWith('reconcile'))).toEqual([]);
    const [row] = await listTargets(database.db, post);
    expect(row).toMatchObject({ status: 'published', attempts: 1, clock: {} });
  });
});

describe('at a network that cannot be checked', () => {
  test('a target that was due before the restore ends as unknown, and so does its retry', async () => {
    await using network = await toKind(telegram).start(database.db);
    const { post } = await publishAndRestore(network);
    await publish(network, post);
    const [row] = await listTargets(database.db, post);
    expect(row).toMatchObject({ status: 'failed', error_code: 'outcome_unknown', attempts: 0 });
    await inQuietTransaction(database.db, (trx) => reopenResult(trx, row!.project_id, row!));
    await publish(network, post);
    expect(await listTargets(database.db, post)).toMatchObject([{ error_code: 'outcome_unknown' }]);
    expect(await network.listPosts()).toHaveLength(1);
  });

  test('a target that is due later is published', async () => {
    await using network = await toKind(telegram).start(database.db);
    const post = await writePost(database.db, network);
    await insertRestore(database.db);
    await setDue(post, 1);
    await publish(network, post);
    expect(await listTargets(database.db, post)).toMatchObject([{ status: 'published' }]);
    expect(await network.listPosts()).toHaveLength(1);
  });
});

describe('before the check', () => {
  test('a target that was due cannot be canceled, but a target that is due later can', async () => {
    await using network = await toKind(mastodon).start(database.db);
    const { post } = await publishAndRestore(network);
    const cancel = () =>
      inQuietTransaction(database.db, (trx) => cancelResults(trx, post.projectId, post.postId));
    expect(await cancel()).toEqual([]);
    await setDue(post, 1);
    expect(await cancel()).toEqual(post.resultIds);
  });

  test('a target whose account is gone ends as unknown, unless it is due later', async () => {
    await using network = await toKind(mastodon).start(database.db);
    const { post } = await publishAndRestore(network);
    const later = await writePost(database.db, network);
    await insertRestore(database.db);
    await setDue(later, 1);
    for (const each of [post, later]) {
      await disconnect(database.db, each.accountId);
      await publish(network, each);
    }
    expect(await listTargets(database.db, post)).toMatchObject([{ error_code: 'outcome_unknown' }]);
    expect(await listTargets(database.db, later)).toMatchObject([
      { error_code: 'account_disconnected' },
    ]);
  });
});

test('failed checks leave a target that was due as unknown, and its retry checks first', async () => {
  await using network = await containerThenPublish.start(database.db);
  const { post, published } = await publishAndRestore(network);
  network.switchboard.plans.push({
    stage: 'reconcile',
    call: 1,
    times: Infinity,
    fault: 'unavailable',
  });
  await publish(network, post);
  const [row] = await listTargets(database.db, post);
  expect(row).toMatchObject({ status: 'failed', error_code: 'outcome_unknown' });
  network.switchboard.plans.splice(0);
  await inQuietTransaction(database.db, (trx) => reopenResult(trx, row!.project_id, row!));
  await publish(network, post);
  expect(await listTargets(database.db, post)).toMatchObject([
    { status: 'published', external_id: published[0]!.external_id },
  ]);
  expect(await network.listPosts()).toHaveLength(1);
});

test.each(['thread', 'commented'] as const)(
  'a reply is checked for once the post that it replies to is found: %s',
  async (shape) => {
    await using network = await toKind(slackSubject).start(database.db);
    const { post, published } = await publishAndRestore(network, shape);
    const fault = 'unavailable';
    network.switchboard.plans.push({ stage: 'reconcile', call: 1, times: Infinity, fault });
    const dependencies = dependenciesOf(database.db, network, shortClock);
    await advanceToEnd(dependencies, post.resultIds[0]!);
    network.switchboard.plans.splice(0);
    await publish(network, post);
    const failed = await listTargets(database.db, post);
    expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 'failed'));
    for (const row of failed) {
      await inQuietTransaction(database.db, (trx) => reopenResult(trx, row.project_id, row));
    }
    await publish(network, post);
    const rows = await listTargets(database.db, post);
    expect(rows.map((row) => [row.status, row.external_id])).toEqual(
      published.map((row) => ['published', row.external_id]),
    );
    expect(await network.listPosts()).toHaveLength(published.length);
  },
);

test('a target that was accepted after the restore is not checked', async () => {
  await using network = await toKind(mastodon).start(database.db);
  await insertRestore(database.db);
  const post = await writePost(database.db, network);
  await publish(network, post);
  expect((await attempted(post)).at(-1)).toBe('commit published');
  expect(await attempted(post)).not.toContainEqual(expect.stringContaining('reconcile'));
});
