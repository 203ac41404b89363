// Replays in Postgres: their rows, and how the deliveries that they reopened stand.
import { sql, type Insertable, type UpdateObject } from 'kysely';
import type { DeliveryStatus } from '../../deliveries.ts';
import { notFound } from '../../wire/errors.ts';
import type { Slice } from '../../wire/listing.ts';
import { replayDeliveriesWorkflow, replayDeliveriesWorkflowId } from '../../workflows.ts';
import type { Database, Db, ReplayRow, Transaction } from '../tables.ts';
import { insertOutbox } from '../dispatch/outbox.ts';
import { parentRows } from '../parent-rows.ts';
import { inScope, type RowScope } from '../row-scope.ts';

/** How many of a replay's deliveries stand how. */
export interface ReplayOutcomes {
  pending: number;
  delivered: number;
  failed: number;
  skipped: number;
  canceled: number;
}

/** With the workflow that carries it. Wake the relay after the commit. */
export async function insertReplay(
  trx: Transaction,
  replay: Omit<Insertable<Database['replays']>, 'workflow_id'>,
): Promise<void> {
  const workflow_id = await insertReplayWorkflow(trx, replay.id);
  await trx
    .insertInto('replays')
    .values({ ...replay, workflow_id })
    .execute();
}

/** Asks for a run of `replayDeliveries`; returns its workflow id. */
export function insertReplayWorkflow(trx: Transaction, replayId: string): Promise<string> {
  return insertOutbox(trx, {
    workflow: replayDeliveriesWorkflow,
    workflowId: (outboxId) => replayDeliveriesWorkflowId(replayId, outboxId),
    input: { replayId },
  });
}

/** Of any of the project's webhooks, or of this one alone; deleted ones too. */
export async function getReplayRow(
  db: Db,
  scope: RowScope,
  id: string,
  webhookId?: string,
): Promise<ReplayRow> {
  const row = await db
    .selectFrom('replays')
    .selectAll()
    .where(inScope(scope, 'replays'))
    .where('id', '=', id)
    .$if(webhookId !== undefined, (query) => query.where('webhook_id', '=', webhookId!))
    .executeTakeFirst();
  if (!row) throw notFound('replay', id);
  return row;
}

export async function listReplaysById(
  db: Db,
  scope: RowScope,
  ids: string[],
): Promise<ReplayRow[]> {
  return db
    .selectFrom('replays')
    .selectAll()
    .where(inScope(scope, 'replays'))
    .where('id', 'in', ids)
    .execute();
}

/** A page for each of these webhooks. */
export function listReplayPages(
  db: Db,
  scope: RowScope,
  webhookIds: string[],
  { limit, before }: Slice,
): Promise<(ReplayRow & { parent_id: string })[]> {
  return db
    .selectFrom(parentRows(webhookIds))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('replays')
          .selectAll('replays')
          .where(inScope(scope, 'replays'))
          .whereRef('webhook_id', '=', 'parent.id')
          .$if(before !== undefined, (query) => query.where('replays.id', '<', before!))
          .orderBy('replays.id', 'desc')
          .limit(limit)
          .as('page'),
      (join) => join.onTrue(),
    )
    .selectAll('page')
    .select('parent.id as parent_id')
    .orderBy('page.id', 'desc')
    .execute();
}

/** The one that is running on a webhook. */
export async function findRunningReplay(db: Db, webhookId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('replays')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'running')
    .executeTakeFirst();
  return row?.id;
}

/** Undefined: it has concluded. Whoever advances it holds this lock, so nothing is done twice. */
export function lockRunningReplay(trx: Transaction, id: string): Promise<ReplayRow | undefined> {
  return trx
    .selectFrom('replays')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'running')
    .forUpdate()
    .executeTakeFirst();
}

export async function setReplay(
  trx: Transaction,
  id: string,
  changes: UpdateObject<Database, 'replays'>,
): Promise<void> {
  await trx.updateTable('replays').set(changes).where('id', '=', id).execute();
}

export async function countOutcomes(db: Db, replayId: string): Promise<ReplayOutcomes> {
  return (await countOutcomesOf(db, [replayId])).get(replayId)!;
}

/** Of each of these replays. */
export async function countOutcomesOf(
  db: Db,
  replayIds: string[],
): Promise<Map<string, ReplayOutcomes>> {
  if (replayIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('deliveries')
    .select(['replay_id', 'status'])
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('replay_id', 'in', replayIds)
    .groupBy(['replay_id', 'status'])
    .execute();
  const counts = new Map(
    rows.map(({ replay_id, status, count }) => [`${replay_id} ${status}`, Number(count)]),
  );
  return new Map(
    replayIds.map((id) => {
      const of = (status: DeliveryStatus) => counts.get(`${id} ${status}`) ?? 0;
      const outcomes = {
        pending: of('pending') + of('retrying'),
        delivered: of('delivered'),
        failed: of('failed'),
        skipped: of('skipped'),
        canceled: of('canceled'),
      };
      return [id, outcomes];
    }),
  );
}

/** How many wait for the first attempt of their new retry schedule; counts no further than `limit`. */
export async function countUnattempted(db: Db, replayId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from deliveries where replay_id = ${replayId} and status = 'pending' limit ${limit}
    ) as waiting`.execute(db);
  return rows[0]!.count;
}
