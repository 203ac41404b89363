// The outbox: workflows to start, inserted in the transaction that decides to start them.
import { sql, type RawBuilder } from 'kysely';
import { newId } from '../wire/ids.ts';
import { ago, inMs } from './database-clock.ts';
import type { Notifier } from './notifier.ts';
import type { Db, OutboxRow, Transaction } from './tables.ts';
import { inTransaction } from './transaction.ts';
import {
  fetchMediaWorkflow,
  fetchMediaWorkflowId,
  publishPostWorkflow,
  publishPostWorkflowId,
  type FetchMediaInput,
  type PublishPostInput,
} from '../workflows.ts';

/** A scheduled row waits until this long before its start. */
export const aheadMs = 5_000;

interface WorkflowRequest {
  projectId: string;
  workflow: string;
  /** Contains the row's id, so that starting it twice has no effect. */
  workflowId: (outboxId: string) => string;
  input: object;
  startAt?: Date | null;
}

export type NewOutboxRow = Pick<
  OutboxRow,
  'id' | 'project_id' | 'workflow' | 'workflow_id' | 'start_at'
> & {
  input: string;
};

function toOutboxRow({
  projectId,
  workflow,
  workflowId,
  input,
  startAt,
}: WorkflowRequest): NewOutboxRow {
  const id = newId('outbox');
  return {
    id,
    project_id: projectId,
    workflow,
    workflow_id: workflowId(id),
    input: JSON.stringify(input),
    start_at: startAt ?? null,
  };
}

/** SQL: the row must wait, because its start is not near. */
const isEarly = (startAt: RawBuilder<unknown>) =>
  sql<boolean>`coalesce(${startAt} > ${inMs(aheadMs)}, false)`;

async function insertRow(trx: Transaction, row: NewOutboxRow): Promise<string> {
  const is_early = isEarly(sql`${row.start_at}::timestamptz`);
  await trx
    .insertInto('outbox')
    .values({ ...row, is_early })
    .execute();
  trx.notifyAfterCommit('fanfare_outbox');
  return row.workflow_id;
}

/** Returns the id of the workflow. */
export function insertOutbox(trx: Transaction, request: WorkflowRequest): Promise<string> {
  return insertRow(trx, toOutboxRow(request));
}

/** The row for a run of `publishPost`, for `insertPost`. */
export function publishPostRow(
  projectId: string,
  input: PublishPostInput,
  startAt: Date | null,
): NewOutboxRow {
  return toOutboxRow({
    projectId,
    workflow: publishPostWorkflow,
    workflowId: (outboxId) => publishPostWorkflowId(input.postId, outboxId),
    input,
    startAt,
  });
}

/** Requests a run of an existing post. Returns the workflow's id. */
export function insertPublishPost(
  trx: Transaction,
  projectId: string,
  input: PublishPostInput,
  startAt: Date | null,
): Promise<string> {
  return insertRow(trx, publishPostRow(projectId, input, startAt));
}

/** Requests runs of existing posts. */
export async function insertPublishPosts(trx: Transaction, rows: NewOutboxRow[]): Promise<void> {
  await insertionOfAsked(JSON.stringify(rows)).execute(trx);
  trx.notifyAfterCommit('fanfare_outbox');
}

/**
 * SQL that inserts outbox rows. `json`: an array of `NewOutboxRow`. `from`: another source, which decides whether they
 * are inserted.
 */
export function insertionOfAsked(json: string, from?: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into outbox (id, project_id, workflow, workflow_id, input, start_at, is_early)
    select asked.id, project_id, workflow, workflow_id, input::jsonb, start_at,
      ${isEarly(sql.ref('start_at'))}
    from jsonb_to_recordset(${json}::jsonb) as asked (id text, project_id text, workflow text,
      workflow_id text, input text, start_at timestamptz)${from ? sql`, ${from}` : sql``}`;
}

/** Requests that a workflow fetches the bytes of media. Returns the workflow's id. */
export function insertFetchMedia(
  trx: Transaction,
  projectId: string,
  input: FetchMediaInput,
): Promise<string> {
  return insertOutbox(trx, {
    projectId,
    workflow: fetchMediaWorkflow,
    workflowId: (outboxId) => fetchMediaWorkflowId(input.mediaId, outboxId),
    input,
  });
}

/** SQL on a table of rows with workflows: the relay has not started the row's workflow yet. */
export const isInOutbox = (table: string) =>
  sql<boolean>`exists (
    select from outbox where outbox.workflow_id = ${sql.ref(`${table}.workflow_id`)})`;

/** Rows of a table that name their workflow, with the status of those that have not ended. */
export interface OpenWork {
  table: 'account_checks' | 'result_changes';
  status: 'running' | 'pending';
}

const maxListed = 200;

/** Work without progress, in random order, so that work that only waits doesn't hide work whose workflow is lost. */
export async function listOverdueWork(
  db: Db,
  { table, status }: OpenWork,
  overdueMs: number,
): Promise<{ id: string; workflow_id: string }[]> {
  // The status is not a parameter, because Postgres must recognize the condition of the partial index.
  const { rows } = await sql<{ id: string; workflow_id: string }>`
    select id, workflow_id from ${sql.table(table)}
    where status = ${sql.lit(status)} and progressed_at < ${ago(overdueMs)} and not ${isInOutbox(table)}
    order by random() limit ${maxListed}`.execute(db);
  return rows;
}

/**
 * Continues after the lost workflow's last step, in the workflow that `insertWorkflow` requests. False: the work has
 * ended, or has another workflow.
 */
export function restartWork(
  db: Db,
  notifier: Notifier,
  { table, status }: OpenWork,
  lost: { id: string; workflowId: string },
  insertWorkflow: (trx: Transaction, projectId: string, id: string) => Promise<string>,
): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const { rows } = await sql<{ project_id: string; workflow_id: string | null }>`
      select project_id, workflow_id from ${sql.table(table)}
      where id = ${lost.id} and status = ${status} for update`.execute(trx);
    const [work] = rows;
    if (work?.workflow_id !== lost.workflowId) return false;
    const workflowId = await insertWorkflow(trx, work.project_id, lost.id);
    await sql`
      update ${sql.table(table)} set workflow_id = ${workflowId}, progressed_at = now()
      where id = ${lost.id}`.execute(trx);
    return true;
  });
}
