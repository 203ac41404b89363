// The outbox: workflows to start, inserted in the transaction that decides to start them.
import { sql } from 'kysely';
import { newId } from '../wire/ids.ts';
import { ago, msUntil } from './database-clock.ts';
import { prepared } from './prepared.ts';
import type { Db, OutboxRow, Transaction } from './tables.ts';
import { areDeliveriesPaused } from './pauses.ts';
import {
  deliverEventsWorkflow,
  deliverEventsWorkflowId,
  fetchMediaWorkflow,
  fetchMediaWorkflowId,
  publishPostWorkflow,
  publishPostWorkflowId,
  type DeliverEventsInput,
  type FetchMediaInput,
  type PublishPostInput,
} from '../workflows.ts';

/** A CTE. The commit of a statement that selects from it returns before it is on disk. */
const unsynced = sql`unsynced as materialized (
  select set_config('synchronous_commit', 'off', true))`;

/** A row that was claimed this long ago is claimed again: its relay died, or Temporal was unavailable. */
export const outboxClaimMs = 2_000;

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

/** Returns the id of the workflow. */
export async function insertOutbox(trx: Transaction, request: WorkflowRequest): Promise<string> {
  const row = toOutboxRow(request);
  await trx.insertInto('outbox').values(row).execute();
  trx.notifyAfterCommit('fanfare_outbox');
  return row.workflow_id;
}

/** The row for a run of `publishPost`, for `insertPost`. */
export function publishPostRow(
  projectId: string,
  input: PublishPostInput,
  startAt: Date | null,
): NewOutboxRow {
  return toOutboxRow(publishPostRequest(projectId, input, startAt));
}

/** Requests a run of an existing post. Returns the workflow's id. */
export function insertPublishPost(
  trx: Transaction,
  projectId: string,
  input: PublishPostInput,
  startAt: Date | null,
): Promise<string> {
  return insertOutbox(trx, publishPostRequest(projectId, input, startAt));
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

function publishPostRequest(
  projectId: string,
  input: PublishPostInput,
  startAt: Date | null,
): WorkflowRequest {
  return {
    projectId,
    workflow: publishPostWorkflow,
    workflowId: (outboxId) => publishPostWorkflowId(input.postId, outboxId),
    input,
    startAt,
  };
}

/** `delay_ms`: time until the workflow begins; null: now. */
export type ClaimedRow = OutboxRow & { delay_ms?: number | null };

const isWaiting = sql`(claimed_at is null or claimed_at < ${ago(outboxClaimMs)})`;
const beginsAt = sql`coalesce(start_at, created_at)`;

/**
 * Claims rows of each project in turn, so that a long backlog of one doesn't delay the others. Within a project,
 * posts that are due come before those scheduled for later. Skips rows that another relay has locked.
 */
export async function claimOutbox(db: Db, limit: number): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with recursive waiting as (
      (select project_id from outbox where ${isWaiting} order by project_id limit 1)
      union all
      select (
        select project_id from outbox
        where ${isWaiting} and project_id > waiting.project_id order by project_id limit 1
      ) from waiting where project_id is not null
    ), oldest as materialized (
      select own.id from waiting cross join lateral (
        select id, row_number() over (order by ${beginsAt}, id) as place from outbox
        where ${isWaiting} and project_id = waiting.project_id
        order by ${beginsAt}, id limit ${limit}
      ) own
      order by own.place, own.id limit ${limit}
    ), locked as (
      select id from outbox where id = any (array(select id from oldest)) and ${isWaiting}
      for update skip locked
    )
    update outbox set claimed_at = now() from locked where outbox.id = locked.id
    returning outbox.*, ${msUntil(sql.ref('start_at'))} as delay_ms`.execute(db);
  return rows;
}

export async function deleteOutbox(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  // A crash may bring the row back. Starting its workflow twice has no effect.
  await sql`
    ${prepared('delete_outbox')}
    with ${unsynced}
    delete from outbox using unsynced where id = any(${ids}::text[])`.execute(db);
}

/** The outbox row of a batch's workflow, and the number of its deliveries. */
export type ClaimedBatch = OutboxRow & { size: number; batchId: string };

export interface BatchOptions {
  limit: number;
  /** Failing webhooks get batches of their own, since their slow receivers would hold up the others. */
  isFailing?: boolean;
  /** Webhooks that already have enough deliveries in flight. */
  except?: string[];
}

const isUnclaimed = sql`batch_id is null and (status = 'pending' or status = 'retrying')`;
/** The minimum number of deliveries per webhook in a batch. */
const leastOfEach = 10;

/**
 * Claims waiting deliveries as one batch and inserts the outbox row of its workflow, in one statement. The
 * caller starts the workflow. Undefined: no deliveries are waiting, or deliveries are paused. Each webhook
 * gets a share, so that a long backlog of one doesn't delay the others. The commit may return before it is
 * on disk. If a crash loses it, the workflow finds no deliveries, and they are claimed again.
 */
export async function claimBatch(
  db: Db,
  { limit, isFailing = false, except = [] }: BatchOptions,
): Promise<ClaimedBatch | undefined> {
  const batchId = newId('batch');
  const input: DeliverEventsInput = { batchId, isFailing };
  const { rows } = await sql<OutboxRow & { size: number }>`
    ${prepared('claim_batch')}
    with recursive ${unsynced}, waiting as (
      (
        select webhook_id from deliveries
        where ${isUnclaimed} and not ${areDeliveriesPaused} order by webhook_id limit 1
      )
      union all
      select (
        select webhook_id from deliveries
        where ${isUnclaimed} and webhook_id > waiting.webhook_id
        order by webhook_id limit 1
      ) from waiting where webhook_id is not null
    ), wanted as materialized (
      select webhook_id as id from waiting
      where webhook_id <> all (${except}::text[]) and ${isFailing} = (
        select failing_since is not null from webhook_subscriptions where id = waiting.webhook_id)
    ), share as materialized (
      select greatest(${leastOfEach}, ceil(${limit}::float8 / greatest(count(*), 1)))::int as size
      from wanted
    ), oldest as (
      select own.id from wanted cross join lateral (
        select id, row_number() over (order by id) as place from deliveries
        where ${isUnclaimed} and webhook_id = wanted.id
        order by id limit (select size from share)
      ) own
      order by own.place, own.id limit ${limit}
    ), locked as (
      select id from deliveries
      where id = any (array(select id from oldest)) and ${isUnclaimed}
      for update skip locked
    ), batch as (
      update deliveries d set batch_id = ${batchId}
      from locked where d.id = locked.id
      returning d.id
    )
    insert into outbox (id, workflow, workflow_id, input, claimed_at)
    select ${newId('outbox')}, ${deliverEventsWorkflow}, ${deliverEventsWorkflowId(batchId)},
      ${JSON.stringify(input)}::jsonb, now()
    from batch, unsynced having count(*) > 0
    returning *, (select count(*)::int from batch) as size`.execute(db);
  return rows[0] && { ...rows[0], batchId };
}
