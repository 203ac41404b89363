// The times of a queue's weekly slots.
import type { QueueRow } from '../../../schema/database/tables.ts';
import { Weekday } from '../../../schema/queues.ts';
import { fixedLimits } from '../../../schema/wire/limits.ts';
import { localDays } from '../../../schema/wire/local-days.ts';
import { toInstant, toLocalTime, type TimeAdjustment } from '../../../schema/wire/local-time.ts';

export type Plan = Pick<QueueRow, 'timezone' | 'slots'>;

export interface PlannedSlot {
  at: Date;
  /** What a clock in the time zone of the queue shows then. */
  local: string;
  adjusted: TimeAdjustment;
}

const dayMs = 24 * 3_600_000;

/**
 * The slots from `from` on and before `to`, in the order of their times. Slots that fall on the same time count
 * once.
 */
export function* slotsBetween(plan: Plan, from: Date, to: Date): Generator<PlannedSlot, void> {
  let waiting: PlannedSlot[] = [];
  for (const { startsAt, slots } of daysOf(plan, from, to)) {
    // A slot that moves forward may pass midnight, so it waits for the slots of the next day.
    waiting.push(...slots);
    const passed = takeBefore(startsAt.getTime());
    for (const slot of passed) if (slot.at >= from && slot.at < to) yield slot;
  }
  for (const slot of takeBefore(Infinity)) if (slot.at >= from && slot.at < to) yield slot;

  function takeBefore(ms: number): PlannedSlot[] {
    const sorted = waiting.toSorted(
      (a, b) => a.at.getTime() - b.at.getTime() || order(a) - order(b),
    );
    waiting = sorted.filter(({ at }) => at.getTime() >= ms);
    const taken = sorted.filter(({ at }) => at.getTime() < ms);
    return taken.filter(({ at }, index) => at.getTime() !== taken[index - 1]?.at.getTime());
  }
}

const order = ({ adjusted }: PlannedSlot) => (adjusted === 'none' ? 0 : 1);

interface PlannedDay {
  /** No slot of this day or a later one is earlier. */
  startsAt: Date;
  slots: PlannedSlot[];
}

/** The days with slots, from the day before `from` to the day after `to`. */
function* daysOf({ timezone, slots }: Plan, from: Date, to: Date): Generator<PlannedDay, void> {
  const byWeekday = Map.groupBy(slots, ({ weekday }) => weekday);
  const [first, last] = [new Date(from.getTime() - dayMs), new Date(to.getTime() + dayMs)];
  for (const { date, weekday, startsAt, endsAt } of localDays(first, last, timezone)) {
    const ofDay = byWeekday.get(Weekday.options[weekday - 1]!);
    if (!ofDay) continue;
    const isPlain = endsAt.getTime() - startsAt.getTime() === dayMs;
    yield {
      startsAt,
      slots: ofDay.map(({ time }) => {
        const local = `${date}T${time}`;
        // The clock doesn't change on this day.
        if (isPlain) {
          return { at: new Date(startsAt.getTime() + msOf(time)), local, adjusted: 'none' };
        }
        const { at, adjusted } = toInstant({ local, timezone });
        return { at, local: adjusted === 'gap' ? toLocalTime(at, timezone) : local, adjusted };
      }),
    };
  }
}

/** Since midnight. */
const msOf = (time: string) => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * 60_000;

/** The slots that a post can be given now. */
export function openSlots(plan: Plan, after?: Date): Generator<PlannedSlot, void> {
  const now = Date.now();
  const soonest = firstOpenTime(now);
  const from = after && after >= soonest ? new Date(after.getTime() + 1) : soonest;
  return slotsBetween(plan, from, new Date(now + fixedLimits.scheduleAheadDays * dayMs));
}

/** Earlier slots are too near to be taken. */
export function firstOpenTime(nowMs = Date.now()): Date {
  return new Date(nowMs + fixedLimits.queueAheadSeconds * 1_000);
}
