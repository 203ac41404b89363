// Reads what has not ended, from Postgres, and what its workflow is doing, from Temporal.
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { sql } from 'kysely';
import type { Db } from '../../../schema/database/tables.ts';
import { deliverEventsWorkflowId, publishPostsWorkflowId } from '../../../schema/workflows.ts';
import type { OpenWork } from './verdicts.ts';

/** Open work by its row. */
interface OpenRow {
  id: string;
  workflow_id: string | null;
  is_asked_for: boolean;
  trace: string;
  due_at: Date | null;
}

export async function readOpenWork(
  db: Db,
  { address, namespace = 'default' }: { address: string; namespace?: string },
): Promise<OpenWork[]> {
  const posts = await readOpenPosts(db);
  const deliveries = await readOpenDeliveries(db);
  if (posts.length + deliveries.length === 0) return [];
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    const states = new Map<string, Promise<WorkflowState>>();
    const stateOf = (id: string | null): Promise<WorkflowState> => {
      if (id === null) return Promise.resolve(noWorkflow);
      const state = states.get(id) ?? readWorkflow(client, id);
      states.set(id, state);
      return state;
    };
    const open: OpenWork[] = [];
    // A group has other posts too, and a batch other deliveries, so its history says nothing about one of them.
    const isGroup = (id: string | null) => id?.startsWith(publishPostsWorkflowId('')) ?? false;
    for (const row of posts) {
      const hasOwnHistory = !isGroup(row.workflow_id);
      open.push(toOpenWork(row, await stateOf(row.workflow_id), hasOwnHistory));
    }
    for (const row of deliveries) open.push(toOpenWork(row, await stateOf(row.workflow_id), false));
    return open;
  } finally {
    await connection.close();
  }
}

async function readOpenPosts(db: Db): Promise<OpenRow[]> {
  const { rows } = await sql<OpenRow>`
    select p.id, p.workflow_id,
      exists (select from outbox o where o.workflow_id = p.workflow_id) as is_asked_for,
      concat_ws(' ', p.status, p.current_run, p.progressed_at, p.scheduled_at, r.steps) as trace,
      greatest(r.due_at, case when p.status = 'scheduled' then p.scheduled_at end) as due_at
    from posts p cross join lateral (
      select string_agg(concat_ws(' ', status, phase, phase_state, steps, next_attempt_at, clock),
        ',' order by position) as steps,
        max(next_attempt_at) filter (where status in ('pending', 'publishing')) as due_at
      from post_results where post_id = p.id
    ) r
    where p.status not in ('published', 'partial', 'failed', 'canceled')`.execute(db);
  return rows;
}

async function readOpenDeliveries(db: Db): Promise<OpenRow[]> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .select(
      sql<boolean>`exists (
        select from outbox where workflow_id = ${deliverEventsWorkflowId('')} || batch_id)`.as(
        'is_in_outbox',
      ),
    )
    .where('status', 'in', ['pending', 'retrying'])
    .execute();
  return rows.map(({ id, batch_id, attempt_count, next_attempt_at, is_in_outbox }) => ({
    id,
    workflow_id: batch_id && deliverEventsWorkflowId(batch_id),
    is_asked_for: batch_id === null || is_in_outbox,
    trace: `${batch_id} ${attempt_count} ${next_attempt_at?.getTime()}`,
    due_at: next_attempt_at,
  }));
}

interface WorkflowState {
  isRunning: boolean;
  historyLength: number;
  task: OpenWork['task'];
  timerAt: Date | undefined;
}

const noWorkflow: WorkflowState = {
  isRunning: false,
  historyLength: 0,
  task: undefined,
  timerAt: undefined,
};

async function readWorkflow(client: Client, workflowId: string): Promise<WorkflowState> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const { status, historyLength, raw } = await handle.describe();
    if (status.name !== 'RUNNING') return { ...noWorkflow, historyLength };
    const tasks = [raw.pendingWorkflowTask, ...(raw.pendingActivities ?? [])].filter(
      (one) => !!one,
    );
    const tries = Math.max(0, ...tasks.map(({ attempt }) => attempt ?? 0));
    const failure = raw.pendingActivities?.find(({ lastFailure }) => lastFailure)?.lastFailure;
    return {
      isRunning: true,
      historyLength,
      task: tasks.length > 0 ? { tries, failure: failure?.message ?? undefined } : undefined,
      timerAt: findLastTimer((await handle.fetchHistory()).events ?? []),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return noWorkflow;
    throw error;
  }
}

/** When the last of the timers ends that the workflow waits for. */
export function findLastTimer(events: temporal.api.history.v1.IHistoryEvent[]): Date | undefined {
  const timers = new Map<string, number>();
  for (const event of events) {
    const started = event.timerStartedEventAttributes;
    const over = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
    if (started) {
      timers.set(started.timerId!, tsToMs(event.eventTime) + tsToMs(started.startToFireTimeout));
    }
    if (over) timers.delete(over.timerId!);
  }
  return timers.size > 0 ? new Date(Math.max(...timers.values())) : undefined;
}

function toOpenWork(row: OpenRow, state: WorkflowState, hasOwnHistory: boolean): OpenWork {
  const { id, is_asked_for, trace, due_at } = row;
  const { isRunning, historyLength, task, timerAt } = state;
  const waiting = is_asked_for ? 'asked for' : 'gone';
  const dueMs = Math.max(due_at?.getTime() ?? 0, timerAt?.getTime() ?? 0);
  return {
    id,
    trace: hasOwnHistory ? `${trace} ${row.workflow_id} ${historyLength}` : trace,
    workflow: isRunning ? 'running' : waiting,
    task,
    dueAt: dueMs > 0 ? new Date(dueMs) : undefined,
  };
}
