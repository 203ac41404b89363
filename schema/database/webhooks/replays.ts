// Queries on replays, and on the status of the deliveries that they reopened.
import { sql, type Insertable, type UpdateObject } from 'kysely';
import { notFound } from '../../wire/errors.ts';
import type { Slice } from '../../wire/listing.ts';
import { replayDeliveriesWorkflow, replayDeliveriesWorkflowId } from '../../workflows.ts';
import type { Database, Db, ReplayRow, Transaction } from '../tables.ts';
import { insertOutbox } from '../outbox.ts';
import { listPages } from '../listing.ts';
import { selectInScope, updateOfProject, type RowScope } from '../row-scope.ts';

/** Number of a replay's deliveries, by status. */
export interface ReplayOutcomes {
  pending: number;
  delivered: number;
  failed: number;
  skipped: number;
  canceled: number;
}

/** Also inserts the outbox row of its workflow. */
export async function insertReplay(
  trx: Transaction,
  replay: Omit<Insertable<Database['replays']>, 'workflow_id'>,
): Promise<void> {
  const workflow_id = await insertReplayWorkflow(trx, replay.project_id, replay.id);
  await trx
    .insertInto('replays')
    .values({ ...replay, workflow_id })
    .execute();
}

/** Requests a run of `replayDeliveries`, and returns its workflow's id. */
export function insertReplayWorkflow(
  trx: Transaction,
  projectId: string,
  replayId: string,
): Promise<string> {
  return insertOutbox(trx, {
    projectId,
    workflow: replayDeliveriesWorkflow,
    workflowId: (outboxId) => replayDeliveriesWorkflowId(replayId, outboxId),
    input: { replayId },
  });
}

/** A replay of any of the project's webhooks, or only of this one. Deleted webhooks are included. */
export function getReplayRow(
  db: Db,
  scope: RowScope,
  id: string,
  webhookId?: string,
): Promise<ReplayRow> {
  return selectInScope(db, scope, 'replays')
    .where('id', '=', id)
    .$if(webhookId !== undefined, (query) => query.where('webhook_id', '=', webhookId!))
    .executeTakeFirstOrThrow(() => notFound('replay', id));
}

export function listReplaysById(db: Db, scope: RowScope, ids: string[]): Promise<ReplayRow[]> {
  return selectInScope(db, scope, 'replays').where('id', 'in', ids).execute();
}

/** A page of replays for each of these webhooks. */
export function listReplayPages(
  db: Db,
  scope: RowScope,
  webhookIds: string[],
  slice: Slice,
): Promise<(ReplayRow & { parent_id: string })[]> {
  const rows = selectInScope(db, scope, 'replays');
  return listPages(db, rows, webhookIds, { parent: 'webhook_id', by: ['replays', 'id'] }, slice);
}

/** Id of the webhook's running replay. */
export async function findRunningReplay(
  db: Db,
  projectId: string,
  webhookId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('replays')
    .select('id')
    .where('project_id', '=', projectId)
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'running')
    .executeTakeFirst();
  return row?.id;
}

/** Undefined: the replay has concluded. The lock lets one execution advance a replay at a time. */
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
  projectId: string,
  id: string,
  changes: UpdateObject<Database, 'replays'>,
): Promise<void> {
  await updateOfProject(trx, projectId, 'replays', id).set(changes).execute();
}

export async function countOutcomes(
  db: Db,
  projectId: string,
  replayId: string,
): Promise<ReplayOutcomes> {
  return (await countOutcomesOf(db, projectId, [replayId])).get(replayId)!;
}

export async function countOutcomesOf(
  db: Db,
  projectId: string,
  replayIds: string[],
): Promise<Map<string, ReplayOutcomes>> {
  if (replayIds.length === 0) return new Map();
  const { rows } = await sql<ReplayOutcomes & { replay_id: string }>`
    select replay_id,
      count(*) filter (where status in ('pending', 'retrying'))::int as pending,
      count(*) filter (where status = 'delivered')::int as delivered,
      count(*) filter (where status = 'failed')::int as failed,
      count(*) filter (where status = 'skipped')::int as skipped,
      count(*) filter (where status = 'canceled')::int as canceled
    from deliveries
    where project_id = ${projectId} and replay_id = any (${replayIds}::text[])
    group by replay_id`.execute(db);
  const counted = new Map(rows.map(({ replay_id, ...outcomes }) => [replay_id, outcomes]));
  const none = { pending: 0, delivered: 0, failed: 0, skipped: 0, canceled: 0 };
  return new Map(replayIds.map((id) => [id, counted.get(id) ?? none]));
}

/** How many deliveries wait for the first attempt of their new retry schedule, counted up to `limit`. */
export async function countUnattempted(db: Db, replayId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from deliveries where replay_id = ${replayId} and status = 'pending' limit ${limit}
    ) as waiting`.execute(db);
  return rows[0]!.count;
}
