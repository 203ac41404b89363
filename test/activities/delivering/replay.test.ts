// Reopens deliveries in batches: each one once, and no faster than they are attempted.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReplaying } from '../../../activities/delivering/replay.ts';
import { createNotifier, type Notifier } from '../../../schema/database/notifier.ts';
import { startOf } from '../../../schema/database/webhooks/replay-matches.ts';
import { insertReplay } from '../../../schema/database/webhooks/replays.ts';
import { firstIdAt, newId } from '../../../schema/wire/ids.ts';
import type { ReplayedStatus } from '../../../schema/replays.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addProject, addWebhook } from '../../support/rows/rows.ts';
import { countWaiting } from '../../support/rows/waiting.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

let database: TestDatabase;
let notifier: Notifier;
let replaying: ReturnType<typeof createReplaying>;

beforeAll(async () => {
  database = await createTestDatabase();
  notifier = createNotifier(database.url);
  replaying = createReplaying({ db: database.db, notifier });
});
afterAll(async () => {
  await notifier?.close();
  await database?.drop();
});

const advanceReplay = (input: { replayId: string }) => replaying.advanceReplay(input);
const hourAgo = () => new Date(Date.now() - 3_600_000);

/** Events of the last minutes. Each failed at a webhook, or has no delivery. */
async function addPast(count: number, { isMissing = false } = {}) {
  const { db } = database;
  const projectId = await addProject(db);
  const webhookId = await addWebhook(db, projectId);
  const run = projectId.slice(-10);
  await sql`insert into events (id, project_id, environment, kind, body, created_at)
    select ${firstIdAt('event', new Date())} || ${run} || lpad(i::text, 5, '0'), ${projectId},
      'production', 'account.connected', '{}', now() - interval '1 second'
    from generate_series(1, ${count}::int) i`.execute(db);
  if (isMissing) return { projectId, webhookId };
  await sql`insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger,
      attempt_count, scheduled_attempts, batch_id, created_at, concluded_at, failed_at)
    select replace(id, 'evt_', 'dlv_'), project_id, ${webhookId}, id, kind, 'failed', 'event', 4, 4,
      'bat_old', created_at, now(), now()
    from events where project_id = ${projectId}`.execute(db);
  return { projectId, webhookId };
}

async function startReplay(
  { projectId, webhookId }: { projectId: string; webhookId: string },
  matched: number,
  statuses: ReplayedStatus[] = ['failed'],
): Promise<string> {
  const id = newId('replay');
  await inQuietTransaction(database.db, (trx) =>
    insertReplay(trx, {
      id,
      project_id: projectId,
      environment: 'production',
      webhook_id: webhookId,
      status: 'running',
      since: hourAgo(),
      until: new Date(),
      statuses,
      matched,
      position: startOf(statuses),
    }),
  );
  return id;
}

const replayRow = (id: string) =>
  database.db.selectFrom('replays').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const deliveriesOf = (replayId: string) =>
  database.db.selectFrom('deliveries').selectAll().where('replay_id', '=', replayId).execute();

async function conclude(replayId: string, status: 'delivered' | 'failed', limit = 10_000) {
  await sql`update deliveries set status = ${status}, concluded_at = now() where id in (
    select id from deliveries where replay_id = ${replayId} and status = 'pending' limit ${limit}
  )`.execute(database.db);
}

async function countChanges(replayId: string, kind: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from changes join deliveries d on d.id = subject_id
    where d.replay_id = ${replayId} and kind = ${kind}`.execute(database.db);
  return rows[0]!.count;
}

describe('advanceReplay', () => {
  test('gives each delivery a new retry schedule, and no batch, so that the relay can claim it', async () => {
    const replayId = await startReplay(await addPast(1), 1);
    expect(await advanceReplay({ replayId })).toBe('reopened');
    expect(await deliveriesOf(replayId)).toMatchObject([
      {
        status: 'pending',
        trigger: 'replay',
        attempt_count: 4,
        scheduled_attempts: 4,
        ladder_start: 4,
        next_attempt_at: expect.any(Date),
        batch_id: null,
        concluded_at: null,
        failed_at: null,
      },
    ]);
  });

  test('keeps delivered_at, unless a manual attempt set it', async () => {
    const past = await addPast(2);
    await sql`update deliveries set status = 'delivered', delivered_at = now(),
      is_delivered_manually = (id = (select max(id) from deliveries where webhook_id = ${past.webhookId}))
      where webhook_id = ${past.webhookId}`.execute(database.db);
    const replayId = await startReplay(past, 2, ['delivered']);
    await advanceReplay({ replayId });
    const rows = (await deliveriesOf(replayId)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(rows).toMatchObject([
      { delivered_at: expect.any(Date), is_delivered_manually: false },
      { delivered_at: null, is_delivered_manually: false },
    ]);
  });

  test('reopens no delivery twice if it runs again, even in parallel', async () => {
    const replayId = await startReplay(await addPast(450), 450);
    await Promise.all([advanceReplay({ replayId }), advanceReplay({ replayId })]);
    await conclude(replayId, 'failed', 100);
    expect(await advanceReplay({ replayId })).toBe('reopened');
    expect(await replayRow(replayId)).toMatchObject({ matched: 450, reopened: 450, failed: 100 });
    expect(await countChanges(replayId, 'replayed')).toBe(450);
    await conclude(replayId, 'delivered');
    expect(await advanceReplay({ replayId })).toBe('concluded');
    expect(await advanceReplay({ replayId })).toBe('concluded');
    expect(await replayRow(replayId)).toMatchObject({
      status: 'completed',
      delivered: 350,
      failed: 100,
      concluded_at: expect.any(Date),
    });
  });

  test('continues after a transaction that failed before its commit', async () => {
    const replayId = await startReplay(await addPast(250), 250);
    // The second batch fails before its commit, like after a crash.
    await sql`create function lose() returns trigger language plpgsql as
      'begin if new.reopened > 200 then raise exception ''lost''; end if; return new; end'`.execute(
      database.db,
    );
    await sql`create trigger lose before update on replays
      for each row execute function lose()`.execute(database.db);
    await expect(advanceReplay({ replayId })).rejects.toThrow('lost');
    await sql`drop trigger lose on replays`.execute(database.db);
    expect(await deliveriesOf(replayId)).toHaveLength(200);
    await advanceReplay({ replayId });
    expect(await deliveriesOf(replayId)).toHaveLength(250);
    expect(await countChanges(replayId, 'replayed')).toBe(250);
  });

  test('waits while 1,000 reopened deliveries have not been attempted', async () => {
    const replayId = await startReplay(await addPast(1_300), 1_300);
    expect(await advanceReplay({ replayId })).toBe('reopening');
    expect(await advanceReplay({ replayId })).toBe('reopening');
    expect(await deliveriesOf(replayId)).toHaveLength(1_000);
    await conclude(replayId, 'delivered', 50);
    expect(await advanceReplay({ replayId })).toBe('reopening');
    expect(await deliveriesOf(replayId)).toHaveLength(1_200);
    await conclude(replayId, 'delivered');
    expect(await advanceReplay({ replayId })).toBe('reopened');
    expect(await deliveriesOf(replayId)).toHaveLength(1_300);
  });

  test('inserts each missing delivery once, with the time of its event', async () => {
    const past = await addPast(250, { isMissing: true });
    const replayId = await startReplay(past, 250, ['failed', 'missing']);
    await Promise.all([advanceReplay({ replayId }), advanceReplay({ replayId })]);
    const rows = await deliveriesOf(replayId);
    expect(rows).toHaveLength(250);
    expect(await countChanges(replayId, 'created')).toBe(250);
    for (const { id, created_at } of rows) {
      expect(id >= firstIdAt('delivery', created_at)).toBe(true);
      expect(id < firstIdAt('delivery', new Date(created_at.getTime() + 1))).toBe(true);
    }
    expect(await replayRow(replayId)).toMatchObject({ reopened: 250, position: null });
  });

  test('inserts no delivery of an event that is pruned at the same time', async () => {
    const { db } = database;
    const past = await addPast(2, { isMissing: true });
    const replayId = await startReplay(past, 2, ['missing']);
    let advancing: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      const [event] = await trx
        .selectFrom('events')
        .select('id')
        .where('project_id', '=', past.projectId)
        .orderBy('id')
        .execute();
      await trx.deleteFrom('events').where('id', '=', event!.id).execute();
      advancing = advanceReplay({ replayId });
      await expect.poll(() => countWaiting(database.db)).toBe(1);
    });
    await advancing;
    expect(await deliveriesOf(replayId)).toHaveLength(1);
    expect(await replayRow(replayId)).toMatchObject({ matched: 2, reopened: 1 });
  });

  test('also counts deliveries that began to match after the request', async () => {
    const replayId = await startReplay(await addPast(3), 1);
    await advanceReplay({ replayId });
    expect(await replayRow(replayId)).toMatchObject({ matched: 3, reopened: 3 });
  });
});
