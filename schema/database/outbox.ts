// The outbox: workflows to start, inserted in the transaction that decides to start them.
import { sql, type RawBuilder } from 'kysely';
import { newId } from '../wire/ids.ts';
import { inMs } from './database-clock.ts';
import type { OutboxRow, Transaction } from './tables.ts';
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
export const isEarly = (startAt: RawBuilder<unknown>) =>
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
