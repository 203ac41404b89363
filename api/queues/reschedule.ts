// Moves the scheduled posts of a queue to the slots that its plan has now.
import { lockQueue } from '../../schema/database/queues/queues.ts';
import type { SlotMove } from '../../schema/database/queues/slots.ts';
import type { QueueRow, QueueSlotRow } from '../../schema/database/tables.ts';
import type { RescheduledQueue } from '../../schema/queues.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { movePosts } from '../posts/queues/move-posts.ts';
import { openSlots } from '../posts/queues/plan.ts';
import { queueFull } from '../posts/queues/take-slot.ts';

export function rescheduleQueue(
  context: Context,
  caller: Caller,
  id: string,
): Promise<Answer<RescheduledQueue>> {
  return transact(context, caller, async (effects) => {
    const queue = await lockQueue(effects.trx, caller, id);
    const moved = await movePosts(context, effects, caller, queue, (taken) =>
      toFirstSlots(queue, taken),
    );
    effects.audit({ subject: 'queue', subject_id: id, kind: 'updated' });
    return { status: 200, data: { moved_posts: moved } };
  });
}

/** The posts keep their order, and take the first slots of the plan. */
function toFirstSlots(queue: QueueRow, taken: readonly QueueSlotRow[]): SlotMove[] {
  const slots = openSlots(queue);
  return taken.map(({ post_id }) => {
    const next = slots.next();
    if (next.done) throw queueFull();
    return { post_id, at: next.value.at };
  });
}
