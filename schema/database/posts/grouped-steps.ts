// Writes the steps of many targets together: before each call to the network, and after it published the post.
import { sql } from 'kysely';
import type { NextAction } from '../../posts/next-action.ts';
import type { Phase } from '../../posts/posts.ts';
import { insertionOf } from '../live/changes.ts';
import type { Notifier } from '../notifier.ts';
import { executePrepared } from '../prepared.ts';
import type { Db, Writer } from '../tables.ts';
import { inStatement } from '../transaction.ts';
import { newId } from '../../wire/ids.ts';
import { followResultWorkflow, followResultWorkflowId } from '../../workflows.ts';
import { toHex, type SealedState } from './provider-state.ts';
import {
  changeOf,
  firstOfEach,
  lockTargets,
  setProgress,
  type GroupOptions,
} from './target-group.ts';
import { isOpenRow, type TargetRow } from './targets.ts';

/** A call that is about to be sent. It must not be sent from `deadline` on; null: no deadline. */
export interface PhaseStart {
  row: TargetRow;
  phase: Phase;
  deadline: Date | null;
}

/**
 * Records in one statement that these calls are about to be sent. False: another execution has changed the row,
 * or the deadline has passed, so the row must be read again. A crash after this write leaves `begun`, which
 * reconcile resolves. Of several calls for one target, only the first begins.
 */
export async function beginPhases(
  db: Db,
  notifier: Notifier,
  starts: readonly PhaseStart[],
  options: GroupOptions,
): Promise<(boolean | 'locked')[]> {
  const first = firstOfEach(starts);
  const calls = [...first.values()].map(({ row, phase, deadline }) => {
    const { id, steps, current_run: run } = row;
    return { id, steps, run, phase, deadline, is_new: row.status === 'pending' };
  });
  const change = changeOf('result.publishing', sql`begun where is_new`);
  const statement = (writer: Writer) => sql<{ id: string; has_begun: boolean }>`
    with call as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as t (
        id text, steps int, run int, phase text, deadline timestamptz, is_new boolean)
    ), ${lockTargets(options)}, begun as (
      update post_results r
      set status = 'publishing', phase = call.phase, phase_state = 'begun', steps = r.steps + 1,
        attempts = attempts + case call.phase when 'commit' then 1 else 0 end,
        next_attempt_at = null, is_paused = false, begun_at = now(), heartbeat_at = now()
      from call
      where r.id = any (array(select id from target)) and r.id = call.id and r.steps = call.steps
        and ${isOpenRow('r')} and coalesce(clock_timestamp() < deadline, true)
      returning r.id, r.post_id, r.project_id, r.steps, r.phase, run, is_new
    ), attempt as (
      insert into post_attempts (result_id, number, run, phase, started_at, outcome)
      select id, steps, run, phase, now(), 'begun' from begun
    ), change as (
      ${insertionOf(writer, change)}
    ), progress as (
      ${setProgress(sql`select post_id from begun where is_new`)}
    )
    select target.id, begun.id is not null as has_begun from target left join begun using (id)`;
  const name = options.skipLocked ? 'begin_phases' : 'begin_phase';
  const rows = await inStatement(db, notifier, (writer) =>
    executePrepared(writer, name, statement(writer)),
  );
  const found = new Map(rows.map(({ id, has_begun }) => [id, has_begun]));
  return starts.map((start) => {
    if (first.get(start.row.id) !== start) return false;
    return found.get(start.row.id) ?? (options.skipLocked ? 'locked' : false);
  });
}

/** `beginPhases` for one call. */
export async function beginPhase(
  db: Db,
  notifier: Notifier,
  row: TargetRow,
  phase: Phase,
  deadline: Date | null,
): Promise<boolean> {
  const start = { row, phase, deadline };
  const [hasBegun] = await beginPhases(db, notifier, [start], { skipLocked: false });
  return hasBegun === true;
}

/** A post that a network has published. */
export interface PublishedTarget {
  row: TargetRow;
  published: {
    externalId: string | null;
    url: string | null;
    visibility: string | null;
    /** Default: `none`. */
    nextAction?: NextAction;
    detail?: Record<string, unknown>;
  };
  /** The network still works on the post, and is asked for at most `forMs`. Absent: it has finished. */
  followUp?: { state: SealedState; forMs: number };
  durationMs: number;
}

/**
 * Ends the targets and their attempts in one statement. Writes this even if other executions have changed the
 * rows, because the posts are public.
 */
export async function setPublishedTargets(
  db: Db,
  notifier: Notifier,
  targets: readonly PublishedTarget[],
  options: GroupOptions,
): Promise<('written' | 'locked')[]> {
  const calls = targets.map(({ row, published, followUp, durationMs }) => ({
    id: row.id,
    number: row.steps,
    external_id: published.externalId,
    url: published.url,
    visibility: published.visibility,
    next_action: published.nextAction ?? 'none',
    detail: published.detail,
    duration_ms: durationMs,
    ...(followUp && toFollowUpColumns(row.id, followUp)),
  }));
  const isFollowed = targets.some(({ followUp }) => followUp);
  const change = changeOf('result.published', sql`published`);
  const statement = (writer: Writer) => sql<{ id: string }>`
    with call as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as t (
        id text, number int, external_id text, url text, visibility text, next_action text,
        detail jsonb, duration_ms int, state text, state_key_id text, follow_ms float8,
        outbox_id text, workflow_id text)
    ), ${lockTargets(options)}, attempt as (
      update post_attempts a
      set outcome = 'published', duration_ms = call.duration_ms, provider_detail = call.detail
      from call
      where a.result_id = any (array(select id from target)) and a.result_id = call.id
        and a.number = call.number
    ), published as (
      update post_results r
      set status = 'published', external_id = call.external_id, url = call.url,
        visibility = call.visibility, published_at = now(), next_attempt_at = null,
        error_code = null, error_message = null, failure_stage = null, platform_error_code = null,
        provider_error = null, is_retriable = false, next_action = call.next_action,
        provider_state = state::bytea, provider_state_key_id = state_key_id,
        follow_at = case when follow_ms is not null then now() end,
        follow_until = now() + follow_ms * interval '1 ms'
      from call
      where r.id = any (array(select id from target)) and r.id = call.id and ${isOpenRow('r')}
      returning r.id, r.post_id, r.project_id
    ), followed as (
      insert into outbox (id, project_id, workflow, workflow_id, input)
      select outbox_id, project_id, ${followResultWorkflow}, workflow_id,
        jsonb_build_object('resultId', id)
      from published join call using (id) where outbox_id is not null
    ), change as (
      ${insertionOf(writer, change)}
    ), progress as (
      ${setProgress(sql`select post_id from published`)}
    )
    select id from target`;
  const name = options.skipLocked ? 'set_published_targets' : 'set_published';
  const rows = await inStatement(db, notifier, (writer) => {
    if (isFollowed) writer.notifyAfterCommit('fanfare_outbox');
    return executePrepared(writer, name, statement(writer));
  });
  const found = new Set(rows.map(({ id }) => id));
  const isLocked = (id: string) => options.skipLocked && !found.has(id);
  return targets.map(({ row }) => (isLocked(row.id) ? 'locked' : 'written'));
}

function toFollowUpColumns(
  resultId: string,
  { state, forMs }: Required<PublishedTarget>['followUp'],
) {
  const { provider_state, provider_state_key_id } = state;
  const outboxId = newId('outbox');
  return {
    state: toHex(provider_state),
    state_key_id: provider_state_key_id,
    follow_ms: forMs,
    outbox_id: outboxId,
    workflow_id: followResultWorkflowId(resultId, outboxId),
  };
}

/** `setPublishedTargets` for one target. */
export async function setPublished(
  db: Db,
  notifier: Notifier,
  target: PublishedTarget,
): Promise<void> {
  await setPublishedTargets(db, notifier, [target], { skipLocked: false });
}
