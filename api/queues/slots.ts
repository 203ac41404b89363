// The slots of a queue at their times, with the posts that have them.
import { getQueueRow } from '../../schema/database/queues/queues.ts';
import { listTakenSlots } from '../../schema/database/queues/slots.ts';
import type { ListQueueSlots, QueueSlot } from '../../schema/queues.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { validationError } from '../../schema/wire/errors.ts';
import { fixedLimits } from '../../schema/wire/limits.ts';
import type { Page } from '../../schema/wire/listing.ts';
import { toLocalTime } from '../../schema/wire/local-time.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Caller, Context } from '../http/context.ts';
import { wholePage } from '../http/listing.ts';
import { slotsBetween } from '../posts/queues/plan.ts';

/** Posts whose slots are no longer in the plan are listed too. */
export async function listQueueSlots(
  { db }: Context,
  caller: Caller,
  id: string,
  query: ListQueueSlots,
): Promise<Page<QueueSlot>> {
  const queue = await getQueueRow(db, caller, id);
  const period = readPeriod(query);
  const taken = await listTakenSlots(db, queue.id, period);
  const postOf = new Map(taken.map(({ at, post_id }) => [at.getTime(), post_id]));
  const localOf = new Map<number, string>();
  for (const { at, local } of slotsBetween(queue, period.from, period.to)) {
    localOf.set(at.getTime(), local);
  }
  const times = [...new Set([...localOf.keys(), ...postOf.keys()])].toSorted((a, b) => a - b);
  return wholePage(
    times.map((time) => ({
      at: toTimestamp(new Date(time)),
      local: localOf.get(time) ?? toLocalTime(new Date(time), queue.timezone),
      post_id: postOf.get(time) ?? null,
    })),
  );
}

const dayMs = 24 * 3_600_000;
const defaultDays = 7;

function readPeriod(query: ListQueueSlots): { from: Date; to: Date } {
  const from = query.from === undefined ? new Date() : new Date(query.from);
  const to =
    query.to === undefined ? new Date(from.getTime() + defaultDays * dayMs) : new Date(query.to);
  const days = (to.getTime() - from.getTime()) / dayMs;
  const { queuePeriodDays: limit } = fixedLimits;
  if (days > limit) {
    const message = `must be at most ${countOf(limit, 'day')} after the start of the period`;
    throw validationError([{ path: ['to'], code: 'too_far', message, actual: days, limit }]);
  }
  return { from, to };
}
