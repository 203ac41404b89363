// Moves scheduled posts to other slots of their queue: each gets a new run, as by a reschedule.
import { monthOf } from '../../../schema/database/accounts/usage.ts';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { insertPublishPosts, publishPostRow } from '../../../schema/database/outbox.ts';
import { lockPostsAfterResults } from '../../../schema/database/posts/changes.ts';
import { setRescheduled } from '../../../schema/database/queues/rescheduled-posts.ts';
import { toScheduledEvent } from '../../../schema/database/posts/outcome-event.ts';
import { listPostsById, listResults } from '../../../schema/database/posts/posts.ts';
import { listTakenSlots, moveSlots, type SlotMove } from '../../../schema/database/queues/slots.ts';
import type { RowScope } from '../../../schema/database/row-scope.ts';
import type { PostRow, QueueRow, QueueSlotRow } from '../../../schema/database/tables.ts';
import { isSent } from '../../../schema/event-types.ts';
import { AppError } from '../../../schema/wire/errors.ts';
import { fixedLimits } from '../../../schema/wire/limits.ts';
import type { Context } from '../../http/context.ts';
import type { Effects } from '../../http/transact.ts';
import { countResults } from '../count-usage.ts';
import { firstOpenTime } from './plan.ts';

/** Which posts move where. Gets the taken slots whose posts can still move. */
export type PlanMoves = (taken: readonly QueueSlotRow[]) => SlotMove[];

/**
 * Moves posts of the queue as planned, and returns how many. The moves are planned again once their posts are locked,
 * because slots may be freed until then.
 */
export async function movePosts(
  context: Context,
  effects: Effects,
  scope: RowScope,
  queue: QueueRow,
  planMoves: PlanMoves,
): Promise<number> {
  const { trx } = effects;
  const from = firstOpenTime();
  const before = planMoves(await listTakenSlots(trx, queue.id, { from }));
  if (before.length === 0) return 0;
  const { queueMoves: limit } = fixedLimits;
  if (before.length > limit) {
    throw new AppError('conflict', `One request moves at most ${limit} posts of a queue.`, {
      details: { actual: before.length, limit },
    });
  }
  const ids = before.map(({ post_id }) => post_id);
  const locked = await lockPostsAfterResults(trx, ids);
  const posts = new Map(locked.map((post) => [post.id, post]));
  const moved = planMoves(await listTakenSlots(trx, queue.id, { from }))
    .map((move) => ({ ...move, post: posts.get(move.post_id)! }))
    .filter(({ post, at }) => post.scheduled_at!.getTime() !== at.getTime());
  if (moved.length === 0) return 0;
  moved.forEach(requireInTime);
  await moveSlots(trx, queue.id, moved);
  await startRuns(context, effects, scope, moved);
  return moved.length;
}

interface Move extends SlotMove {
  post: PostRow;
}

function requireInTime({ post, at }: Move): void {
  if (!post.publish_by || post.publish_by > at) return;
  const message = `The deadline of the post ${post.id} is before its new slot.`;
  throw new AppError('conflict', message, { details: { post_id: post.id } });
}

async function startRuns(
  context: Context,
  effects: Effects,
  scope: RowScope,
  moves: readonly Move[],
): Promise<void> {
  const { trx, change } = effects;
  const { projectId } = scope;
  const runs = moves.map(({ post, at }) => {
    const run = post.current_run + 1;
    const asked = publishPostRow(projectId, { postId: post.id, run }, at);
    return { id: post.id, at, run, workflow_id: asked.workflow_id, asked };
  });
  await insertPublishPosts(
    trx,
    runs.map(({ asked }) => asked),
  );
  await setRescheduled(trx, projectId, runs);
  await countMoved(context, effects, scope, moves);
  for (const { id } of runs) change({ subject: 'post', subject_id: id, kind: 'rescheduled' });
  if (!isSent('post.scheduled', context.config)) return;
  const ids = runs.map(({ id }) => id);
  for (const written of await listPostsById(trx, scope, ids)) {
    await recordEvent(trx, toScheduledEvent(written), context.config);
  }
}

async function countMoved(
  context: Context,
  effects: Effects,
  scope: RowScope,
  moves: readonly Move[],
): Promise<void> {
  const crossing = moves.filter(({ post, at }) => monthOf(post.scheduled_at!) !== monthOf(at));
  const byMonth = Map.groupBy(crossing, ({ at }) => monthOf(at));
  for (const month of [...byMonth.keys()].toSorted()) {
    const ids = byMonth.get(month)!.map(({ post_id }) => post_id);
    const results = await listResults(effects.trx, scope.projectId, ids);
    await countResults(context, effects, scope, results, { month });
  }
}
