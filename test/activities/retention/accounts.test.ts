// Accounts erased in bounded batches, beside calls, deliveries and failures of other accounts.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { eraseBatch } from '../../../schema/database/dispatch/erasure.ts';
import { lockPost } from '../../../schema/database/posts/posts.ts';
import { listFailedWebhooks } from '../../../schema/database/webhooks/health.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import type { PruneRecordsInput } from '../../../schema/workflows.ts';
import { createTestLog } from '../../support/log.ts';
import { addDeliveries } from '../../support/receivers/delivery-rows.ts';
import { addCheck } from '../../support/rows/checks.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { erasureOptions, pruneAccounts, readErasure } from '../../support/rows/erasures.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';
import { addAccount, addProject, addWebhook } from '../../support/rows/rows.ts';

const database = useDatabase();
let projectId: string;
beforeEach(async () => {
  projectId = await addProject(database.db);
  await sql`update social_accounts set erase_at = null`.execute(database.db);
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** A disconnected account whose retention period has ended. */
async function addDueAccount(platform: PlatformName = 'bluesky'): Promise<string> {
  const { db } = database;
  const id = await addAccount(db, projectId, platform);
  await db
    .updateTable('social_accounts')
    .set({ status: 'disconnected', erase_at: minutesAgo(1) })
    .where('id', '=', id)
    .execute();
  return id;
}

/** Each of a post of its own. Returns the posts' ids. */
async function addResults(accountId: string, count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with post as (
      insert into posts (id, project_id, environment, caption, status)
      select 'post_' || ${accountId}::text || lpad(i::text, 4, '0'), ${projectId}, 'production', '',
        'published'
      from generate_series(1, ${count}::int) i
      returning id
    ), result as (
      insert into post_results (id, post_id, project_id, position, social_account_id, platform,
        account_name, external_id, status, phase, phase_state)
      select 'res_' || id, id, ${projectId}, 0, ${accountId}, 'bluesky', 'ada', 'at-network',
        'published', 'commit', 'ready'
      from post
    )
    select id from post order by id`.execute(database.db);
  return rows.map(({ id }) => id);
}

interface Subject {
  accountId?: string | null;
  postId?: string | null;
}

/** Deliveries to webhooks that are not there any more. */
async function addEvents(
  { accountId = null, postId = null }: Subject,
  count: number,
  { deliveriesEach = 1, status = 'delivered', environment = 'production' } = {},
): Promise<void> {
  const subject = accountId ?? postId;
  await sql`
    with event as (
      insert into events (id, project_id, environment, kind, body, post_id, social_account_id, created_at)
      select 'evt_' || ${subject}::text || lpad(i::text, 4, '0'), ${projectId}, ${environment},
        'account.connected', '{}', ${postId}, ${accountId}, now()
      from generate_series(1, ${count}::int) i
      returning id
    )
    insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger)
    select 'dlv_' || id || d, ${projectId}, 'wh_' || d, id, 'account.connected', ${status}, 'event'
    from event, generate_series(1, ${deliveriesEach}::int) d`.execute(database.db);
}

async function countLeft(accountId: string) {
  const { rows } = await sql<{ results: number; events: number }>`
    select
      (select count(*)::int from post_results
        where social_account_id = ${accountId} and (not is_erased or external_id is not null)) as results,
      (select count(*)::int from events
        where social_account_id = ${accountId} or post_id in (
          select post_id from post_results where social_account_id = ${accountId})) as events`.execute(
    database.db,
  );
  return rows[0]!;
}

const prune = () => pruneAccounts(database.db);

describe('eraseBatch', () => {
  test('keeps the events of production posts when it erases a test account', async () => {
    const accountId = await addDueAccount('sandbox');
    const [mixed, own] = await addResults(accountId, 2);
    await addEvents({ postId: mixed! }, 3);
    await addEvents({ postId: own! }, 2, { environment: 'test' });
    await prune();
    expect(await countLeft(accountId)).toEqual({ results: 0, events: 3 });
  });

  test('deletes at most 500 events and 1,000 deliveries', async () => {
    const accountId = await addDueAccount();
    await addEvents({ accountId }, 1_200);
    const [postId] = await addResults(accountId, 1);
    await addEvents({ postId: postId! }, 700, { deliveriesEach: 3 });
    const sizes: number[][] = [];
    for (let from: string | null = ''; from !== null;) {
      const resultId: string = from;
      const batch = await inQuietTransaction(database.db, (trx) =>
        eraseBatch(trx, accountId, resultId, erasureOptions),
      );
      sizes.push([batch.events, batch.deliveries]);
      from = batch.resultId;
    }
    expect(Math.max(...sizes.map(([events]) => events!))).toBeLessThanOrEqual(500);
    expect(Math.max(...sizes.map(([, deliveries]) => deliveries!))).toBeLessThanOrEqual(1_000);
    expect(await countLeft(accountId)).toEqual({ results: 0, events: 0 });
  });

  test('leaves an account that was connected again', async () => {
    const accountId = await addDueAccount();
    await database.db
      .updateTable('social_accounts')
      .set({ status: 'active', erase_at: null })
      .where('id', '=', accountId)
      .execute();
    const batch = await inQuietTransaction(database.db, (trx) =>
      eraseBatch(trx, accountId, '', erasureOptions),
    );
    expect(batch).toEqual({ results: 0, events: 0, deliveries: 0, resultId: null });
    expect(await readErasure(database.db, accountId)).toMatchObject({ is_erased: false });
  });
});

describe('prune', () => {
  test('erases every result, however many', async () => {
    const accountId = await addDueAccount();
    const postIds = await addResults(accountId, 250);
    for (const postId of postIds.slice(0, 150)) await addEvents({ postId }, 2);
    const { log, lines } = createTestLog('info');
    expect(await pruneAccounts(database.db, { log })).toBeNull();
    expect(lines).toMatchObject([{ erasedResults: 250, events: 300, deliveries: 300 }]);
    expect(await countLeft(accountId)).toEqual({ results: 0, events: 0 });
    expect(await readErasure(database.db, accountId)).toMatchObject({
      is_erased: true,
      erase_at: null,
    });
  });

  test('deletes the checks of the account, and of no other account', async () => {
    const { db } = database;
    const accountIds = [await addDueAccount(), await addAccount(db, projectId, 'bluesky')];
    for (const accountId of accountIds) {
      await addCheck(db, { projectId, accountId }, { platform: 'bluesky' });
    }
    await prune();
    const left = await db.selectFrom('account_checks').select('social_account_id as id').execute();
    expect(left).toEqual([{ id: accountIds[1] }]);
  });

  test('ends after one pass, even if accounts are left, and the next run continues there', async () => {
    const accountIds = [await addDueAccount(), await addDueAccount(), await addDueAccount()];
    for (const accountId of accountIds) {
      await addResults(accountId, 150);
      await addEvents({ accountId }, 1, { status: 'pending' });
    }
    let nowMs = Date.now();
    // Every run is over after its first batch.
    const now = () => (nowMs += 6_000);
    let input: PruneRecordsInput | null = { after: '' };
    let runs = 0;
    for (; input && runs < 50; runs++) input = await pruneAccounts(database.db, { now, input });
    expect(input).toBeNull();
    expect(runs).toBe(7);
    for (const accountId of accountIds) {
      expect(await countLeft(accountId)).toEqual({ results: 0, events: 1 });
      const { is_erased, erase_at } = await readErasure(database.db, accountId);
      expect([is_erased, erase_at]).toEqual([true, expect.any(Date)]);
    }
  });

  test('continues with the next account if one fails', async () => {
    const [failing, next] = [await addDueAccount(), await addDueAccount()];
    const { db } = database;
    await sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'It is refused.'; end $$`.execute(db);
    await sql`create trigger refuse before update on social_accounts for each row
      when (new.id = ${sql.lit(failing)}) execute function refuse()`.execute(db);
    const { log, lines } = createTestLog();
    try {
      expect(await pruneAccounts(db, { log })).toBeNull();
    } finally {
      await sql`drop function refuse cascade`.execute(db);
    }
    expect(lines).toMatchObject([
      { msg: 'an account could not be erased', social_account_id: failing },
    ]);
    expect(await readErasure(db, failing)).toMatchObject({ is_erased: false });
    expect(await readErasure(db, next)).toMatchObject({ is_erased: true, erase_at: null });
    await prune();
    expect(await readErasure(db, failing)).toMatchObject({ is_erased: true, erase_at: null });
  });

  test('leaves a post whose event is just being recorded', async () => {
    const accountId = await addDueAccount();
    const [postId] = await addResults(accountId, 1);
    // As at the end of a retry of another target.
    await inQuietTransaction(database.db, async (trx) => {
      await lockPost(trx, postId!);
      expect(await prune()).toBeNull();
      await sql`insert into events (id, project_id, environment, kind, body, post_id, created_at)
        values ('evt_late', ${projectId}, 'production', 'post.published', '{}', ${postId}, now())`.execute(
        trx,
      );
    });
    expect(await countLeft(accountId)).toEqual({ results: 1, events: 1 });
    await prune();
    expect(await countLeft(accountId)).toEqual({ results: 0, events: 0 });
  });

  test('disables no webhook whose last success it deletes', async () => {
    const { db } = database;
    const webhookId = await addWebhook(db, projectId);
    const accountId = await addDueAccount();
    const [successId, ...failedIds] = await addDeliveries(db, projectId, 6);
    await db
      .updateTable('webhook_subscriptions')
      .set({ enabled_at: minutesAgo(120) })
      .where('id', '=', webhookId)
      .execute();
    const ended = (minutes: number) => ({
      concluded_at: minutesAgo(minutes),
      next_attempt_at: null,
    });
    await db
      .updateTable('deliveries')
      .set({ ...ended(90), status: 'failed', failed_at: minutesAgo(90) })
      .where('id', 'in', failedIds)
      .execute();
    await db
      .updateTable('deliveries')
      .set({ ...ended(30), status: 'delivered', delivered_at: minutesAgo(30) })
      .where('id', '=', successId!)
      .execute();
    await sql`update events set social_account_id = ${accountId}
      where id = (select event_id from deliveries where id = ${successId})`.execute(db);
    const rule = { afterFailures: 5, afterMs: 0 };
    expect(await listFailedWebhooks(db, [webhookId], rule)).toEqual([]);
    await prune();
    expect(await countLeft(accountId)).toEqual({ results: 0, events: 0 });
    expect(await listFailedWebhooks(db, [webhookId], rule)).toEqual([]);
  });
});
