// Changes the time of a draft or a scheduled post: its queue, its slot, and what becomes of its status.
import { setPost } from '../../schema/database/posts/changes.ts';
import { startRun } from '../../schema/database/posts/runs.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { PostRow, QueueRow, Transaction } from '../../schema/database/tables.ts';
import type { UpdatePost } from '../../schema/posts/changes.ts';
import { validationError } from '../../schema/wire/errors.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Context } from '../http/context.ts';
import type { Effects } from '../http/transact.ts';
import {
  checkDeadline,
  hasSchedule,
  pathOf,
  planTime,
  toTime,
  type GivenSchedule,
  type PlannedTime,
} from './checks/schedule.ts';
import type { PlannedSlot } from './queues/plan.ts';
import { leaveQueue, takeSlot } from './queues/take-slot.ts';

interface ChangedTime {
  /** As if the request had given the time of the slot. */
  given: GivenSchedule;
  time: PlannedTime;
  slot: PlannedSlot | undefined;
  /** The post no longer has the queue that it had. */
  hasLeft: boolean;
}

/** Frees the slot that the post leaves, and takes the one that it gets. */
export async function changeTime(
  context: Context,
  effects: Effects,
  scope: RowScope,
  { post, changes, queue }: { post: PostRow; changes: UpdatePost; queue: QueueRow | undefined },
): Promise<ChangedTime> {
  const { scheduled_at, schedule, status, queue_position: position, publish_by } = changes;
  const isForDraft = status === 'draft';
  const hasLeft = hasSchedule(changes) || (isForDraft && post.status === 'scheduled');
  if (queue || hasLeft) await leaveQueue(effects.trx, post);
  const slot =
    queue && !isForDraft
      ? await takeSlot(context, effects, scope, { queue, postId: post.id, position })
      : undefined;
  const given = queue
    ? { scheduled_at: slot ? toTimestamp(slot.at) : null }
    : { scheduled_at, schedule };
  const time = hasSchedule(given) ? planTime(given) : timeOf(post);
  if (publish_by || (hasSchedule(given) && time.at)) {
    const pathOfTime = slot ? ['queue_id'] : pathOf(given);
    const path = publish_by ? ['publish_by'] : pathOfTime;
    const issues = checkDeadline(deadlineOf(post, changes), time.at ?? new Date(), path);
    if (issues.length > 0) throw validationError(issues);
  }
  return { given, time, slot, hasLeft };
}

const timeOf = ({ scheduled_at: at, schedule }: PostRow): PlannedTime => ({ at, schedule });

export function deadlineOf({ publish_by }: PostRow, changes: Partial<UpdatePost>): Date | null {
  return changes.publish_by === undefined ? publish_by : toTime(changes.publish_by);
}

export type Transition = 'scheduled' | 'rescheduled' | 'unscheduled';

/** How the change affects the schedule. Undefined: it doesn't. */
export function transitionOf(
  { status }: PostRow,
  { status: wanted, ...given }: UpdatePost,
): Transition | undefined {
  const hasTime = Boolean(given.scheduled_at ?? given.schedule);
  if (status === 'scheduled') {
    if (wanted === 'draft') return 'unscheduled';
    if (!hasSchedule(given)) return undefined;
    return hasTime ? 'rescheduled' : 'unscheduled';
  }
  return hasTime && wanted !== 'draft' ? 'scheduled' : undefined;
}

export function willBeDraft({ status }: PostRow, transition: Transition | undefined): boolean {
  return transition ? transition === 'unscheduled' : status === 'draft';
}

/** A draft may have a time too, but is not published then. */
export async function writeTime(
  trx: Transaction,
  post: PostRow,
  transition: Transition | undefined,
  { at: scheduledAt, schedule }: PlannedTime,
): Promise<void> {
  if (transition === 'scheduled' || transition === 'rescheduled') {
    return startRun(trx, post, { status: 'scheduled', scheduledAt, schedule });
  }
  await setPost(trx, post.project_id, post.id, {
    status: 'draft',
    due_at: null,
    workflow_id: null,
    scheduled_at: scheduledAt,
    schedule: schedule && JSON.stringify(schedule),
  });
}
