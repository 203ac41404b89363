// Pruned and kept rows, in bounded batches, beside transactions that lock, replay and prune.
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPruning } from '../../../activities/retention/prune.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { monthOf } from '../../../schema/database/accounts/usage.ts';
import { insertChanges, readFeedHead } from '../../../schema/database/live/changes.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { deleteEvents } from '../../../schema/database/dispatch/pruning.ts';
import { firstIdAt, newId } from '../../../schema/wire/ids.ts';
import { createTestLog } from '../../support/log.ts';
import { addCheck } from '../../support/rows/checks.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addOldEvents, dayMs } from '../../support/rows/old-records.ts';
import { addGrant } from '../../support/rows/grants.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';
import { addAccount } from '../../support/rows/targets.ts';
import { inQuietTransaction, quietNotifier } from '../../support/rows/quiet-transaction.ts';

let projectId: string;
let webhookId: string;

const database = useDatabase();
beforeAll(async () => {
  projectId = await addProject(database.db);
  webhookId = await addWebhook(database.db, projectId);
});

beforeEach(async () => {
  await sql`truncate events, deliveries, delivery_attempts, changes`.execute(database.db);
});

const before = () => new Date(Date.now() - 30 * dayMs);

/** One run of the activity. */
async function prune(after = '', { log } = createTestLog('info')) {
  const { prune } = createPruning({
    db: database.db,
    notifier: quietNotifier,
    now: Date.now,
    config: readConfig({}),
    media: undefined,
    log,
  });
  return (await new MockActivityEnvironment().run(prune, { after })) as { after: string } | null;
}

async function count(table: 'events' | 'deliveries' | 'delivery_attempts' | 'changes') {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)}`.execute(database.db);
  return rows[0]!.count;
}

const counts = () =>
  Promise.all([count('events'), count('deliveries'), count('delivery_attempts')]);

const addOld = (options: Partial<Parameters<typeof addOldEvents>[1]> = {}) =>
  addOldEvents(database.db, { projectId, webhookId, count: 3, ...options });

const setStatus = (eventId: string, status: 'retrying' | 'pending') =>
  database.db
    .updateTable('deliveries')
    .set({ status, concluded_at: null })
    .where('event_id', '=', eventId)
    .execute();

describe('prune', () => {
  test('deletes old events with their deliveries and attempts, and nothing newer', async () => {
    await addOld({ deliveriesEach: 2 });
    await addOld({ daysAgo: 29 });
    await addEvent(database.db, projectId);
    const testLog = createTestLog('info');
    expect(await prune('', testLog)).toBeNull();
    expect(await counts()).toEqual([4, 4, 6]);
    expect(testLog.lines).toMatchObject([{ events: 3, deliveries: 6 }]);
    expect(await prune('', testLog)).toBeNull();
    expect(testLog.lines).toHaveLength(1);
  });

  test('keeps an event that is still being delivered, and continues after it', async () => {
    const [first, , third] = await addOld();
    await setStatus(first!, 'retrying');
    await setStatus(third!, 'pending');
    expect(await prune()).toBeNull();
    expect(await counts()).toEqual([2, 2, 4]);
    const kept = await database.db.selectFrom('events').select('id').orderBy('id').execute();
    expect(kept.map((row) => row.id)).toEqual([first, third]);
  });

  test('deletes an event that had no delivery', async () => {
    await addOld();
    await sql`truncate deliveries, delivery_attempts`.execute(database.db);
    expect(await prune()).toBeNull();
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test('deletes old changes of any transaction, in steps of 5,000', async () => {
    await sql`insert into changes (project_id, subject, subject_id, kind, created_at)
      select ${projectId}, 'post', 'post_1', 'created', now() - interval '25 hours'
      from generate_series(1, 12000)`.execute(database.db);
    await inQuietTransaction(database.db, (trx) =>
      insertChanges(trx, [
        { project_id: projectId, subject: 'post', subject_id: 'post_2', kind: 'created' },
      ]),
    );
    // Changes that an older transaction of the server holds back are not old enough.
    await expect
      .poll(
        async () => {
          await prune();
          return count('changes');
        },
        { timeout: 10_000 },
      )
      .toBe(1);
    const { prunedXid } = await readFeedHead(database.db);
    const { rows } = await sql<{ xid: string }>`select xid::text from changes`.execute(database.db);
    expect(prunedXid).toBeGreaterThan(0n);
    expect(prunedXid).toBeLessThan(BigInt(rows[0]!.xid));
  });

  test('deletes recorded failures of activities after 30 days', async () => {
    const { db } = database;
    const failure = (days: number) => ({
      workflow_id: `w${days}`,
      activity: 'deliver',
      error: 'Error',
      failed_at: new Date(Date.now() - days * dayMs),
    });
    await db
      .insertInto('activity_failures')
      .values([failure(31), failure(29)])
      .execute();
    expect(await prune()).toBeNull();
    const left = await db.selectFrom('activity_failures').select('workflow_id').execute();
    expect(left).toEqual([{ workflow_id: 'w29' }]);
  });

  test("deletes the sandbox's posts, media, counted refusals and logins after 7 days", async () => {
    const { db } = database;
    const [old, recent] = [7.01, 6.99].map((days) => new Date(Date.now() - days * dayMs));
    for (const [name, created_at] of Object.entries({ old: old!, recent: recent! })) {
      await db
        .insertInto('sandbox_posts')
        .values({ id: name, handle: 'ada', caption: 'x', created_at })
        .execute();
      await db
        .insertInto('sandbox_media')
        .values({ id: name, handle: 'ada', content_type: 'image/png', bytes: 1, created_at })
        .execute();
      await db
        .insertInto('sandbox_media_parts')
        .values({ media_id: name, start_byte: 0, bytes: Buffer.alloc(1) })
        .execute();
      await db
        .insertInto('sandbox_refusals')
        .values({ reference: name, count: 1, created_at })
        .execute();
      await db
        .insertInto('sandbox_grants')
        .values({ id: name, handle: 'ada', created_at })
        .execute();
    }
    const testLog = createTestLog('info');
    expect(await prune('', testLog)).toBeNull();
    expect(testLog.lines).toMatchObject([
      { sandboxPosts: 1, sandboxMedia: 1, sandboxRefusals: 1, sandboxGrants: 1 },
    ]);
    const left = await Promise.all([
      db.selectFrom('sandbox_posts').select('id').execute(),
      db.selectFrom('sandbox_media').select('id').execute(),
      db.selectFrom('sandbox_media_parts').select('media_id as id').execute(),
      db.selectFrom('sandbox_refusals').select('reference as id').execute(),
      db.selectFrom('sandbox_grants').select('id').execute(),
    ]);
    expect(left).toEqual(left.map(() => [{ id: 'recent' }]));
  });

  test('deletes revocations that have expired', async () => {
    const { db } = database;
    const revocation = (id: string, expiresInMs: number) => ({
      id,
      project_id: projectId,
      platform: 'sandbox' as const,
      expires_at: new Date(Date.now() + expiresInMs),
    });
    await db
      .insertInto('revocations')
      .values([revocation('expired', -1_000), revocation('in flight', 60_000)])
      .execute();
    expect(await prune()).toBeNull();
    const left = await db.selectFrom('revocations').select('id').execute();
    expect(left).toEqual([{ id: 'in flight' }]);
  });

  test('deletes idempotency keys after a day, and other ended records later', async () => {
    const { db } = database;
    const longAgo = new Date(Date.now() - 31 * dayMs);
    const yesterday = new Date(Date.now() - dayMs - 1_000);
    await sql`insert into idempotency_keys (project_id, key, fingerprint, environment, scopes, created_at)
      values (${projectId}, 'old', '', 'production', '{}', ${yesterday}),
        (${projectId}, 'new', '', 'production', '{}', now())`.execute(db);
    const session = (at: Date) => ({
      id: firstIdAt('connectSession', at),
      project_id: projectId,
      environment: 'production' as const,
      platform: 'sandbox' as const,
      external_user_id: 'u',
      status: 'pending' as const,
      token_hash: Buffer.from('x'),
      expires_at: new Date(at.getTime() + 1_800_000),
    });
    await db
      .insertInto('connect_sessions')
      .values([session(longAgo), session(yesterday)])
      .execute();
    const replay = (at: Date, status: 'running' | 'completed') => ({
      id: firstIdAt('replay', at),
      project_id: projectId,
      environment: 'production' as const,
      webhook_id: webhookId,
      status,
      workflow_id: 'replay',
      since: at,
      until: at,
      statuses: [],
      matched: 0,
      concluded_at: status === 'completed' ? at : null,
    });
    await db
      .insertInto('replays')
      .values([
        replay(longAgo, 'completed'),
        replay(new Date(longAgo.getTime() + 1), 'running'),
        replay(yesterday, 'completed'),
      ])
      .execute();
    expect(await prune()).toBeNull();
    const left = await Promise.all([
      db.selectFrom('idempotency_keys').select('key').execute(),
      db.selectFrom('connect_sessions').select('expires_at').execute(),
      db.selectFrom('replays').select('status').orderBy('id').execute(),
    ]);
    expect(left).toEqual([
      [{ key: 'new' }],
      [{ expires_at: session(yesterday).expires_at }],
      [{ status: 'running' }, { status: 'completed' }],
    ]);
  });
});

describe("an app that is registered at a server of the user's choice", () => {
  const oldDays = 1.01;

  const instance = 'https://a.example https://us.example/connect/callback';

  async function addApp(daysOld: number, given: { projectId?: null; instance?: string } = {}) {
    const { db } = database;
    const owner = given.projectId === undefined ? await addProject(db) : null;
    const id = newId('app');
    const created_at = new Date(Date.now() - daysOld * dayMs);
    const key = { project_id: owner, instance: given.instance ?? instance } as const;
    const row = { id, created_at, client_secret: null, client_secret_key_id: null };
    await db
      .insertInto('platform_apps')
      .values({ ...key, ...row, platform: 'mastodon', client_id: id, inbound_key: id })
      .execute();
    return { id, projectId: owner! };
  }

  async function isKept(id: string): Promise<boolean> {
    expect(await prune()).toBeNull();
    const apps = database.db.selectFrom('platform_apps').select('id').where('id', '=', id);
    return (await apps.execute()).length === 1;
  }

  const addSession = (
    projectId: string,
    {
      expiresInMs = 60_000,
      status = 'pending',
    }: { expiresInMs?: number; status?: 'pending' | 'canceled' } = {},
  ) =>
    database.db
      .insertInto('connect_sessions')
      .values({
        id: newId('connectSession'),
        project_id: projectId,
        environment: 'production',
        platform: 'mastodon',
        external_user_id: 'user-1',
        status,
        token_hash: Buffer.from('hash'),
        expires_at: new Date(Date.now() + expiresInMs),
      })
      .execute();

  test('is deleted after a day without a login', async () => {
    expect(await isKept((await addApp(oldDays)).id)).toBe(false);
    expect(await isKept((await addApp(0.99)).id)).toBe(true);
  });

  test('stays while it has a login', async () => {
    const { id, projectId: owner } = await addApp(oldDays);
    await addGrant(database.db, { projectId: owner, appId: id });
    expect(await isKept(id)).toBe(true);
  });

  test('stays while a connect session of the project is open, because the session may use it', async () => {
    const { id, projectId: owner } = await addApp(oldDays);
    await addSession(owner, { expiresInMs: -1 });
    await addSession(owner, { status: 'canceled' });
    const open = await addApp(oldDays);
    await addSession(open.projectId);
    expect(await isKept(open.id)).toBe(true);
    expect(await isKept(id)).toBe(false);
  });

  test("stays if it is the operator's, because servers look it up", async () => {
    expect(await isKept((await addApp(oldDays, { projectId: null })).id)).toBe(true);
  });

  test("stays if it is the project's own app for a network without a choice of servers", async () => {
    expect(await isKept((await addApp(oldDays, { instance: '' })).id)).toBe(true);
  });
});

test('pruning deletes the flow of a connect session as soon as the session has expired', async () => {
  const { db } = database;
  const session = (minutesLeft: number) => ({
    id: newId('connectSession'),
    project_id: projectId,
    environment: 'production' as const,
    platform: 'sandbox' as const,
    external_user_id: 'u',
    status: 'pending' as const,
    token_hash: Buffer.from('x'),
    expires_at: new Date(Date.now() + minutesLeft * 60_000),
    flow: Buffer.from('sealed'),
    flow_key_id: 'k',
  });
  const [open, expired] = [session(1), session(-1)];
  await db.insertInto('connect_sessions').values([open, expired]).execute();
  expect(await prune()).toBeNull();
  const left = await db
    .selectFrom('connect_sessions')
    .select(['id', 'flow', 'flow_key_id'])
    .where('id', 'in', [open.id, expired.id])
    .orderBy('expires_at')
    .execute();
  expect(left).toEqual([
    { id: expired.id, flow: null, flow_key_id: null },
    { id: open.id, flow: open.flow, flow_key_id: 'k' },
  ]);
});

describe('prune, by table', () => {
  const ago = (days: number) => new Date(Date.now() - days * dayMs);

  /** Inserts a row for each id, prunes, and returns the ids that are left. */
  async function keptIds(
    table: 'account_checks' | 'api_keys' | 'posts' | 'review_links' | 'webhook_subscriptions',
    ids: string[],
  ) {
    expect(await prune()).toBeNull();
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(table)} where id = any(${ids}) order by id`.execute(database.db);
    return rows.map(({ id }) => ids.indexOf(id));
  }

  test('deletes posts that concluded a year ago, with their results and attempts', async () => {
    const { db } = database;
    const { accountId } = await addAccount(db);
    const posts = [
      { status: 'published', madeAt: ago(400), progressedAt: ago(367) },
      { status: 'published', madeAt: ago(400), progressedAt: ago(363) },
      { status: 'draft', madeAt: ago(400), progressedAt: ago(400) },
      { status: 'pending', madeAt: ago(400), progressedAt: ago(400) },
      { status: 'canceled', madeAt: ago(360), progressedAt: ago(360) },
    ] as const;
    const ids: string[] = [];
    for (const [i, { status, madeAt, progressedAt }] of posts.entries()) {
      const id = firstIdAt('post', new Date(madeAt.getTime() + i));
      ids.push(id);
      await sql`insert into posts (id, project_id, environment, caption, status, progressed_at)
        values (${id}, ${projectId}, 'production', '', ${status}, ${progressedAt})`.execute(db);
      await sql`insert into post_results (id, post_id, project_id, position, social_account_id,
          platform, account_name, status, phase, phase_state)
        values (${`res_${i}`}, ${id}, ${projectId}, 0, ${accountId}, 'sandbox', 'a', 'published',
          'commit', 'ready')`.execute(db);
      await sql`insert into post_attempts (result_id, number, run, phase, started_at, outcome)
        values (${`res_${i}`}, 1, 1, 'commit', now(), 'published')`.execute(db);
    }
    expect(await keptIds('posts', ids)).toEqual([1, 2, 3, 4]);
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from post_attempts`.execute(db);
    expect(rows).toEqual([{ count: 4 }]);
  });

  test('deletes webhooks and API keys that ended 30 days ago, but keeps those in use', async () => {
    const { db } = database;
    const ends = [ago(31), ago(29), null];
    const webhooks: string[] = [];
    const keys: string[] = [];
    for (const [i, endedAt] of ends.entries()) {
      const madeAt = new Date(ago(100).getTime() + i);
      webhooks.push(firstIdAt('webhook', madeAt));
      keys.push(firstIdAt('key', madeAt));
      await sql`insert into webhook_subscriptions
          (id, project_id, environment, url, events, status, secret_preview, deleted_at)
        values (${webhooks[i]}, ${projectId}, 'production', '', '{}', 'active', '',
          ${endedAt})`.execute(db);
      await sql`insert into api_keys
          (id, project_id, name, hash, prefix, scopes, environment, revoked_at)
        values (${keys[i]}, ${projectId}, '', ${Buffer.from(keys[i]!)}, '', '{}', 'production',
          ${endedAt})`.execute(db);
    }
    expect(await keptIds('webhook_subscriptions', webhooks)).toEqual([1, 2]);
    expect(await keptIds('api_keys', keys)).toEqual([1, 2]);
  });

  test('deletes checks of accounts that ended 30 days ago, but keeps running checks', async () => {
    const { db } = database;
    const ids: string[] = [];
    for (const [i, endedAt] of [ago(31), ago(29), null].entries()) {
      const account = await addAccount(db);
      const id = firstIdAt('check', new Date(ago(100).getTime() + i));
      ids.push(id);
      await addCheck(db, account, { id });
      await db
        .updateTable('account_checks')
        .set({ status: endedAt ? 'passed' : 'running', ended_at: endedAt })
        .where('id', '=', id)
        .execute();
    }
    expect(await keptIds('account_checks', ids)).toEqual([1, 2]);
  });

  test('deletes review links that expired 30 days ago, used or not', async () => {
    const { db } = database;
    const { accountId } = await addAccount(db);
    const postId = firstIdAt('post', ago(1));
    await sql`insert into posts (id, project_id, environment, caption, status)
      values (${postId}, ${projectId}, 'production', '', 'draft')`.execute(db);
    const ids: string[] = [];
    for (const [i, expiresAt] of [ago(31), ago(29), ago(-1)].entries()) {
      const id = firstIdAt('reviewLink', new Date(ago(100).getTime() + i));
      ids.push(id);
      await sql`insert into review_links
          (id, project_id, post_id, social_account_id, token_hash, expires_at, used_at)
        values (${id}, ${projectId}, ${postId}, ${accountId}, '', ${expiresAt},
          ${i === 0 ? null : ago(40)})`.execute(db);
    }
    expect(await keptIds('review_links', ids)).toEqual([1, 2]);
  });

  test('deletes usage of months that ended a year ago, and rate limits that ended a day ago', async () => {
    const { db } = database;
    const { accountId } = await addAccount(db);
    const months = [ago(400), ago(300), new Date()].map(monthOf);
    await sql`insert into account_usage (social_account_id, month)
      select ${accountId}, unnest(${months}::text[])`.execute(db);
    await sql`insert into rate_limits (key, next_free_at, blocked_until) values
      ('a', now() - interval '2 days', null), ('b', now() - interval '2 days', now()),
      ('c', now(), null), ('d', null, now() - interval '2 days')`.execute(db);
    expect(await prune()).toBeNull();
    const left = await Promise.all([
      db.selectFrom('account_usage').select('month').orderBy('month').execute(),
      db.selectFrom('rate_limits').select('key').orderBy('key').execute(),
    ]);
    expect(left).toEqual([
      months.slice(1).map((month) => ({ month })),
      [{ key: 'b' }, { key: 'c' }],
    ]);
  });
});

describe('deleteEvents', () => {
  test('deletes 500 events at a time, one batch after the other', async () => {
    const ids = await addOld({ count: 1_200, attemptsEach: 1 });
    const batches = [];
    for (let after: string | null = ''; after !== null;) {
      const from: string = after;
      const batch = await inQuietTransaction(database.db, (trx) =>
        deleteEvents(trx, before(), from),
      );
      batches.push(batch);
      after = batch.after;
    }
    expect(batches).toEqual([
      { events: 500, deliveries: 500, after: ids[499] },
      { events: 500, deliveries: 500, after: ids[999] },
      { events: 200, deliveries: 200, after: ids[1_199] },
      { events: 0, deliveries: 0, after: null },
    ]);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test('deletes fewer events if they have many deliveries, but at least one', async () => {
    const ids = await addOld({ count: 5, deliveriesEach: 400, attemptsEach: 1 });
    const many = await addOld({ count: 1, deliveriesEach: 1_500, attemptsEach: 1, daysAgo: 39 });
    const batches = [];
    for (let after: string | null = ''; after !== null;) {
      const from: string = after;
      const batch = await inQuietTransaction(database.db, (trx) =>
        deleteEvents(trx, before(), from),
      );
      batches.push(batch);
      after = batch.after;
    }
    expect(batches.slice(0, -1)).toEqual([
      { events: 2, deliveries: 800, after: ids[1] },
      { events: 2, deliveries: 800, after: ids[3] },
      { events: 1, deliveries: 400, after: ids[4] },
      { events: 1, deliveries: 1_500, after: many[0] },
    ]);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test('leaves to the next run the events that another transaction locks or reopens', async () => {
    const [held, opened, free] = await addOld();
    const other = connectDatabase({
      url: database.url,
      maxConnections: 1,
      applicationName: 'other',
    });
    try {
      await inQuietTransaction(other.db, async (trx) => {
        await sql`select from events where id = ${held!} for key share`.execute(trx);
        await sql`update deliveries set status = 'pending' where event_id = ${opened!}`.execute(
          trx,
        );
        expect(
          await inQuietTransaction(database.db, (trx) => deleteEvents(trx, before(), '')),
        ).toEqual({
          events: 1,
          deliveries: 1,
          after: free,
        });
      });
    } finally {
      await other.close();
    }
    expect(await counts()).toEqual([2, 2, 4]);
    expect(await prune()).toBeNull();
    const left = await database.db.selectFrom('events').select('id').execute();
    expect(left).toEqual([{ id: opened }]);
  });

  test('is safe when several run at once', async () => {
    await addOld({ count: 3_000, attemptsEach: 1 });
    await Promise.all([prune(), prune(), prune()]);
    expect(await prune()).toBeNull();
    expect(await counts()).toEqual([0, 0, 0]);
  });
});
