// Gives a post a slot of a queue, in the transaction that schedules the post.
import {
  findFreeSlot,
  findLastSlot,
  freeSlot,
  takeFreeSlot,
  type SlotMove,
} from '../../../schema/database/queues/slots.ts';
import { findLockedQueue, findQueue } from '../../../schema/database/queues/queues.ts';
import { setPost } from '../../../schema/database/posts/changes.ts';
import type { RowScope } from '../../../schema/database/row-scope.ts';
import type {
  Db,
  PostRow,
  QueueRow,
  QueueSlotRow,
  Transaction,
} from '../../../schema/database/tables.ts';
import type { QueuePosition } from '../../../schema/posts/queue-position.ts';
import { AppError, validationError, type Issue } from '../../../schema/wire/errors.ts';
import { fixedLimits } from '../../../schema/wire/limits.ts';
import type { Context } from '../../http/context.ts';
import type { Effects } from '../../http/transact.ts';
import { movePosts } from './move-posts.ts';
import { openSlots, type PlannedSlot } from './plan.ts';

/** The queue that a draft names. It may be paused, since a draft takes no slot. */
export async function getNamedQueue(
  trx: Transaction,
  scope: RowScope,
  id: string,
): Promise<QueueRow> {
  const queue = await findQueue(trx, scope, id);
  if (!queue) throw validationError([unknownQueue]);
  return queue;
}

/** Locks the queue and checks that it takes posts. Call it before posts are locked. */
export async function lockOpenQueue(
  trx: Transaction,
  scope: RowScope,
  id: string,
): Promise<QueueRow> {
  const queue = await findLockedQueue(trx, scope, id);
  if (!queue) throw validationError([unknownQueue]);
  requireOpen(queue);
  return queue;
}

export const unknownQueue = {
  path: ['queue_id'],
  code: 'unknown_queue',
  message: 'No queue has this ID.',
} satisfies Issue;

export function requireOpen(queue: QueueRow): void {
  if (queue.is_paused) throw queuePaused();
}

export function queuePaused(): AppError {
  return new AppError('queue_paused', 'The queue is paused.', {
    hint: ({ operation, field }) =>
      `Set ${field('is_paused')} to false by ${operation('updateQueue')}.`,
  });
}

export function queueFull(): AppError {
  const message = `The queue has no free slot within ${fixedLimits.scheduleAheadDays} days.`;
  return new AppError('queue_full', message, {
    hint: ({ operation, field }) => `Add ${field('slots')} by ${operation('updateQueue')}.`,
  });
}

export interface SlotRequest {
  /** Locked by the transaction. */
  queue: QueueRow;
  /** The post may be inserted later in the transaction. */
  postId: string;
  /** Default: `next`. */
  position?: QueuePosition | undefined;
}

export async function takeSlot(
  context: Context,
  effects: Effects,
  scope: RowScope,
  { queue, postId, position = 'next' }: SlotRequest,
): Promise<PlannedSlot> {
  const { trx } = effects;
  if (position === 'first') {
    await movePosts(context, effects, scope, queue, (taken) => toNextSlots(queue, taken));
  }
  const slot = await pickSlot(trx, queue, position, (candidates) =>
    takeFreeSlot(trx, { queueId: queue.id, postId }, candidates),
  );
  if (!slot) throw queueFull();
  return slot;
}

/** The slot that a post would get now. Undefined: the queue is full. */
export async function previewSlot(
  db: Db,
  queue: QueueRow,
  position: QueuePosition,
): Promise<PlannedSlot | undefined> {
  if (position === 'first') return openSlots(queue).next().value ?? undefined;
  return pickSlot(db, queue, position, (candidates) => findFreeSlot(db, queue.id, candidates));
}

/** The post of the first slot moves to the next slot, and so on up to the first free slot. */
function toNextSlots(queue: QueueRow, taken: readonly QueueSlotRow[]): SlotMove[] {
  const postOf = new Map(taken.map(({ at, post_id }) => [at.getTime(), post_id]));
  const moves: SlotMove[] = [];
  let displaced: string | undefined;
  for (const { at } of openSlots(queue)) {
    if (displaced !== undefined) moves.push({ post_id: displaced, at });
    displaced = postOf.get(at.getTime());
    if (displaced === undefined) return moves;
  }
  throw queueFull();
}

/** Tries few candidates first, because most queues have a free slot soon. */
async function pickSlot(
  db: Db,
  queue: QueueRow,
  position: QueuePosition,
  firstFreeOf: (candidates: Date[]) => Promise<Date | undefined>,
): Promise<PlannedSlot | undefined> {
  const after = position === 'last' ? await findLastSlot(db, queue.id) : undefined;
  for (const slots of inChunks(openSlots(queue, after))) {
    const at = await firstFreeOf(slots.map((slot) => slot.at));
    if (at) return slots.find((slot) => slot.at.getTime() === at.getTime());
  }
  return undefined;
}

function* inChunks(slots: Iterable<PlannedSlot>): Generator<PlannedSlot[], void> {
  let size = 20;
  let chunk: PlannedSlot[] = [];
  for (const slot of slots) {
    chunk.push(slot);
    if (chunk.length < size) continue;
    yield chunk;
    size *= 5;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Frees the slot of a post that gets another time, or none. A draft has none. */
export async function leaveQueue(trx: Transaction, post: PostRow): Promise<void> {
  if (post.queue_id === null) return;
  await freeSlot(trx, post.id);
  await setPost(trx, post.project_id, post.id, { queue_id: null });
}
