// The outbox: what Temporal must be told, written in the transaction that decides it.
import { sql } from 'kysely';
import { newId } from '../../wire/ids.ts';
import { msUntil } from '../ago.ts';
import type { Db, OutboxRow } from '../tables.ts';
import { areDeliveriesPaused } from './pauses.ts';
import {
  deliverEventsWorkflow,
  deliverEventsWorkflowId,
  publishPostWorkflow,
  publishPostWorkflowId,
  type DeliverEventsInput,
  type PublishPostInput,
} from '../../workflows.ts';

/** The statement that reads it does not wait for the disk when it commits. */
const unsynced = sql`unsynced as materialized (
  select set_config('synchronous_commit', 'off', true))`;

/** A row claimed but still here after this long is told again: its relay died or Temporal was away. */
export const outboxClaimMs = 2_000;

interface WorkflowRequest {
  workflow: string;
  /** Names the row, so that telling it twice is harmless. */
  workflowId: (outboxId: string) => string;
  input: object;
  startAt?: Date | null;
}

/** A row that is to be inserted in the transaction that decides it. Wake the relay after the commit. */
export type NewOutboxRow = Pick<OutboxRow, 'id' | 'workflow' | 'workflow_id' | 'start_at'> & {
  input: string;
};

function toOutboxRow({ workflow, workflowId, input, startAt }: WorkflowRequest): NewOutboxRow {
  const id = newId('outbox');
  return {
    id,
    workflow,
    workflow_id: workflowId(id),
    input: JSON.stringify(input),
    start_at: startAt ?? null,
  };
}

/** Returns the id of the workflow. */
export async function insertOutbox(db: Db, request: WorkflowRequest): Promise<string> {
  const row = toOutboxRow(request);
  await db.insertInto('outbox').values(row).execute();
  return row.workflow_id;
}

/** Asks for a run of `publishPost`. */
export function publishPostRow(input: PublishPostInput, startAt: Date | null): NewOutboxRow {
  return toOutboxRow(publishPostRequest(input, startAt));
}

/** The same of a post that is there; returns its workflow id. */
export function insertPublishPost(
  db: Db,
  input: PublishPostInput,
  startAt: Date | null,
): Promise<string> {
  return insertOutbox(db, publishPostRequest(input, startAt));
}

function publishPostRequest(input: PublishPostInput, startAt: Date | null): WorkflowRequest {
  return {
    workflow: publishPostWorkflow,
    workflowId: (outboxId) => publishPostWorkflowId(input.postId, outboxId),
    input: { ...input, isShort: true } satisfies PublishPostInput,
    startAt,
  };
}

/** `delay_ms`: until its workflow begins; null: at once. */
export type ClaimedRow = OutboxRow & { delay_ms?: number | null };

/** Takes rows to tell, oldest first, past those that another relay holds. */
export async function claimOutbox(db: Db, limit: number): Promise<ClaimedRow[]> {
  const waiting = db
    .selectFrom('outbox')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('claimed_at', 'is', null),
        eb('claimed_at', '<', sql<Date>`now() - ${outboxClaimMs} * interval '1 ms'`),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return db
    .updateTable('outbox')
    .set({ claimed_at: sql<Date>`now()` })
    .where('id', 'in', waiting)
    .returningAll()
    .returning(msUntil(sql.ref('start_at')).as('delay_ms'))
    .execute();
}

export async function deleteOutbox(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  // Nor need this be on disk: a row told twice starts nothing.
  await sql`
    /* prepared: delete_outbox */
    with ${unsynced}
    delete from outbox using unsynced where id = any(${ids}::text[])`.execute(db);
}

/** The row that asks for a batch's workflow, and how many deliveries the batch has. */
export type ClaimedBatch = OutboxRow & { size: number; batchId: string };

export interface BatchOptions {
  limit: number;
  /** Webhooks that fail have batches apart from the others, which their receivers could hold up. */
  isFailing?: boolean;
  /** Webhooks whose receivers have enough in flight. */
  except?: string[];
}

const isUnclaimed = sql`batch_id is null and (status = 'pending' or status = 'retrying')`;
/** Where many webhooks share a batch, each has room for at least so many. */
const leastOfEach = 10;

/**
 * Claims waiting deliveries as one batch, with the outbox row that asks for its workflow, in one
 * statement; tell Temporal when it has returned. Undefined: none are waiting.
 *
 * Every webhook has its share, so that the backlog of one is no wait for another, and none that is
 * left out is read past. None are claimed while deliveries are paused. The commit isn't waited for on disk: a claim lost with the machine leaves a
 * workflow that finds nothing, and is made anew.
 */
export async function claimBatch(
  db: Db,
  { limit, isFailing = false, except = [] }: BatchOptions,
): Promise<ClaimedBatch | undefined> {
  const batchId = newId('batch');
  const input: DeliverEventsInput = { batchId, isFailing };
  const { rows } = await sql<OutboxRow & { size: number }>`
    /* prepared: claim_batch */
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
