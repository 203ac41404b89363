// Checks the queue of a request, and finds the slot that the post would get.
import type { Db, QueueRow } from '../../../schema/database/tables.ts';
import type { CreatePost } from '../../../schema/posts/posts.ts';
import type { UpdatePost } from '../../../schema/posts/changes.ts';
import type { QueuePosition } from '../../../schema/posts/queue-position.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Text } from '../../../schema/wire/names.ts';
import { previewSlot } from '../queues/take-slot.ts';
import type { PlannedSlot } from '../queues/plan.ts';
import type { GivenSchedule } from './schedule.ts';

type QueueFields = Pick<CreatePost | UpdatePost, 'queue_id' | 'queue_position' | 'status'> &
  GivenSchedule;

/** A slot is a time, so a request has a queue or a time. */
export function checkQueueFields(given: QueueFields): Issue[] {
  if (given.queue_id === undefined) {
    if (given.queue_position === undefined) return [];
    const message: Text = ({ field }) => `needs ${field('queue_id')}`;
    return [{ path: ['queue_position'], code: 'no_queue', message }];
  }
  const path = ['queue_id'];
  for (const time of ['scheduled_at', 'schedule'] as const) {
    if (given[time] === undefined) continue;
    const message: Text = ({ field }) => `Give ${field('queue_id')} or ${field(time)}, not both.`;
    return [{ path, code: 'both_times', message }];
  }
  if (given.status === 'draft' && given.queue_position !== undefined) {
    const message: Text = ({ field }) =>
      `A draft has no slot. Give ${field('queue_position')} when you schedule it.`;
    return [{ path: ['queue_position'], code: 'draft_in_queue', message }];
  }
  return [];
}

export interface QueueChoice {
  queue: QueueRow;
  position: QueuePosition;
  /** The slot that the post would get now. Another request may take it first. Undefined: the queue is full. */
  slot: PlannedSlot | undefined;
}

export async function chooseSlot(
  db: Db,
  queue: QueueRow,
  { queue_position: position = 'next' }: QueueFields,
): Promise<QueueChoice> {
  return { queue, position, slot: await previewSlot(db, queue, position) };
}
