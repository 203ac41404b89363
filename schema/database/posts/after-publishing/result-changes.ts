// Queries on the edits and removals of published targets, and on the calls that make them.
import { sql, type RawBuilder, type UpdateObject } from 'kysely';
import type { Actor } from '../../../wire/actors.ts';
import type { PostingErrorCode } from '../../../posts/errors.ts';
import {
  maxChangesShown,
  type ChangedContent,
  type ChangeStatus,
  type ChangeType,
} from '../../../posts/result-changes.ts';
import { newId } from '../../../wire/ids.ts';
import { changeResultWorkflow, changeResultWorkflowId } from '../../../workflows.ts';
import type { Notifier } from '../../notifier.ts';
import { insertOutbox, listOverdueWork, restartWork } from '../../outbox.ts';
import type {
  ClockState,
  Database,
  Db,
  PostResultRow,
  ResultChangeRow,
  Transaction,
} from '../../tables.ts';
import type { BegunCall } from '../call-heartbeats.ts';
import { findTarget, type TargetRow } from '../targets.ts';

/** A change as clients see it. Times are texts, because the row comes from JSON. */
export type ShownChange = Pick<
  ResultChangeRow,
  'id' | 'type' | 'status' | 'error_code' | 'error_message' | 'actor'
> & { requested_at: string; ended_at: string | null };

/** SQL: the last changes of a result, oldest first. */
export const changesOf = (results: string): RawBuilder<ShownChange[]> => sql<
  ShownChange[]
>`coalesce((
  select json_agg(change order by id) from (
    select id, type, status, error_code, error_message, actor, requested_at, ended_at
    from result_changes where result_id = ${sql.ref(`${results}.id`)}
    order by id desc limit ${sql.lit(maxChangesShown)}
  ) as change), '[]')`;

type ChangedResult = Pick<PostResultRow, 'id' | 'project_id'>;

/**
 * Begins a change of a result that `trx` has locked and that has no change in progress. Also inserts the
 * outbox row of its workflow. Returns the ID of the change.
 */
export async function insertChange(
  trx: Transaction,
  { id: result_id, project_id }: ChangedResult,
  type: ChangeType,
  { content = null, actor = null }: { content?: ChangedContent | null; actor?: Actor | null } = {},
): Promise<string> {
  const id = newId('change');
  const workflow_id = await insertChangeWorkflow(trx, project_id, id);
  await trx
    .insertInto('result_changes')
    .values({
      id,
      project_id,
      result_id,
      type,
      status: 'pending',
      content: content && JSON.stringify(content),
      actor: actor && JSON.stringify(actor),
      workflow_id,
    })
    .execute();
  await trx
    .updateTable('post_results')
    .set({ operation: id })
    .where('id', '=', result_id)
    .execute();
  return id;
}

/** Requests a run of `changeResult`, and returns its workflow's id. */
function insertChangeWorkflow(trx: Transaction, projectId: string, changeId: string) {
  return insertOutbox(trx, {
    projectId,
    workflow: changeResultWorkflow,
    workflowId: (outboxId) => changeResultWorkflowId(changeId, outboxId),
    input: { changeId },
  });
}

/** Records that the client removed the post of a result that `trx` has locked. */
export async function insertRemovalByHand(
  trx: Transaction,
  result: ChangedResult,
  actor: Actor | null,
): Promise<void> {
  const { id: result_id, project_id } = result;
  await trx
    .insertInto('result_changes')
    .values({
      id: newId('change'),
      project_id,
      result_id,
      type: 'unpublish',
      status: 'succeeded',
      actor: actor && JSON.stringify(actor),
      ended_at: sql<Date>`now()`,
    })
    .execute();
  await setChanged(trx, result_id, { status: 'unpublished' });
}

/** A published target with the state of its change instead of its own. */
export interface ChangingTarget extends TargetRow {
  change: ResultChangeRow;
  /** The database was restored after the change was requested, so the change may have been made. */
  was_restored: boolean;
}

/** Undefined: the change has ended, or its post was deleted. */
export async function findChangingTarget(
  db: Db,
  changeId: string,
): Promise<ChangingTarget | undefined> {
  const found = await db
    .selectFrom('result_changes')
    .selectAll()
    .select(
      sql<boolean>`exists (select from restores where restored_at > requested_at)`.as(
        'was_restored',
      ),
    )
    .where('id', '=', changeId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  const target = found && (await findTarget(db, found.result_id));
  if (!target) return undefined;
  const { was_restored, ...change } = found;
  const { phase, phase_state, clock, steps, next_attempt_at, begun_at, heartbeat_at } = change;
  const state = { phase, phase_state, clock, steps, next_attempt_at, begun_at, heartbeat_at };
  return { ...target, ...state, change, was_restored };
}

/** A public reply of the same post, such as the first comment. `operation`: its change in progress. */
export async function findPublicReply(
  db: Db,
  resultId: string,
): Promise<Pick<PostResultRow, 'operation'> | undefined> {
  return db
    .selectFrom('post_results')
    .select('operation')
    .where('answers_result_id', '=', resultId)
    .where('kind', '<>', 'step')
    .where('status', '=', 'published')
    .executeTakeFirst();
}

/**
 * Records that the call of the next step is about to be sent. False: another execution has changed the row.
 * A crash after this write leaves `begun`, so that the next execution checks whether the call took effect.
 */
export async function beginChange(db: Db, { id, steps }: BegunCall): Promise<boolean> {
  return writeStep(
    db,
    { id, steps },
    {
      phase_state: 'begun',
      steps: steps + 1,
      next_attempt_at: null,
      begun_at: sql<Date>`now()`,
      heartbeat_at: sql<Date>`now()`,
    },
  );
}

/** Continues with a step after `waitMs`. False: another execution has changed the row. */
export async function setChangeStep(
  db: Db,
  change: BegunCall,
  next: { phase: ResultChangeRow['phase']; clock: ClockState; waitMs: number },
): Promise<boolean> {
  return writeStep(db, change, {
    phase: next.phase,
    phase_state: 'ready',
    clock: JSON.stringify(next.clock),
    next_attempt_at: sql<Date>`now() + ${next.waitMs}::float8 * interval '1 ms'`,
  });
}

/** Ends the change. False: another execution has changed the row. */
export async function setChangeEnded(
  trx: Transaction,
  change: BegunCall,
  end: ChangeEnd,
): Promise<boolean> {
  const { status, errorCode = null, errorMessage = null } = end;
  return writeStep(trx, change, {
    status,
    error_code: errorCode,
    error_message: errorMessage,
    next_attempt_at: null,
    ended_at: sql<Date>`now()`,
  });
}

export interface ChangeEnd {
  status: Exclude<ChangeStatus, 'pending'>;
  errorCode?: PostingErrorCode | undefined;
  errorMessage?: string | undefined;
}

async function writeStep(
  db: Db,
  { id, steps }: BegunCall,
  columns: UpdateObject<Database, 'result_changes'>,
): Promise<boolean> {
  const written = await db
    .updateTable('result_changes')
    .set({ ...columns, progressed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('steps', '=', steps)
    .where('status', '=', 'pending')
    .returning('id')
    .executeTakeFirst();
  return written !== undefined;
}

/** The new columns of a result after a change. Absent members don't change. */
export interface ChangedColumns {
  status?: 'unpublished';
  content?: ChangedContent;
  visibility?: string | undefined;
}

/**
 * Ends the operation of a result that `trx` has locked. Its content no longer counts as a repeat if it has
 * changed.
 */
export async function setChanged(
  trx: Transaction,
  resultId: string,
  { status, content, visibility }: ChangedColumns,
): Promise<void> {
  await trx
    .updateTable('post_results')
    .set({
      operation: null,
      ...((status ?? content) && { content_hash: null }),
      ...(status && { status, unpublished_at: sql<Date>`now()` }),
      ...(content && { ...columnsOf(content), edited_at: sql<Date>`now()` }),
      ...(visibility !== undefined && { visibility }),
    })
    .where('id', '=', resultId)
    .execute();
}

/** The alt texts become those of the target's own media. */
function columnsOf({ caption, platform_options: options, alt_texts: altTexts }: ChangedContent) {
  const media = sql`coalesce(media, (select media from posts where posts.id = post_id))`;
  return {
    ...(caption !== undefined && { caption }),
    ...(options && {
      platform_options: sql<string>`platform_options || ${JSON.stringify(options)}::jsonb`,
    }),
    ...(altTexts && {
      media: sql<string>`(
        select jsonb_agg(case when ${JSON.stringify(altTexts)}::jsonb ? (item ->> 'id')
          then item || jsonb_build_object('alt_text', ${JSON.stringify(altTexts)}::jsonb -> (item ->> 'id'))
          else item end order by position)
        from jsonb_array_elements(${media}) with ordinality as each (item, position))`,
    }),
  };
}

const openChanges = { table: 'result_changes', status: 'pending' } as const;

/** Changes without progress. */
export const listOverdueChanges = (db: Db, overdueMs: number) =>
  listOverdueWork(db, openChanges, overdueMs);

/** False: the change has ended, or has another workflow. */
export const restartChange = (db: Db, notifier: Notifier, id: string, workflowId: string) =>
  restartWork(db, notifier, openChanges, { id, workflowId }, insertChangeWorkflow);
