// Which waiting deliveries are attempted together: those that are due within a few seconds.
import type { WaitingDelivery } from '../schema/workflows.ts';

/** A delivery waits at most this long for the others of its group; none is attempted early. */
const windowMs = 3_000;

export interface Group {
  ids: string[];
  /** When the last of them is due. */
  dueAtMs: number;
  /** How long until then, if the activity said so. */
  waitMs: number | undefined;
}

export function groupByTime(waiting: WaitingDelivery[]): Group[] {
  const byTime = waiting.toSorted((a, b) => dueAt(a) - dueAt(b));
  const groups: Group[] = [];
  let endMs = -Infinity;
  for (const delivery of byTime) {
    const dueAtMs = dueAt(delivery);
    const group = groups.at(-1);
    if (group && dueAtMs <= endMs) {
      group.ids.push(delivery.deliveryId);
      group.dueAtMs = dueAtMs;
      group.waitMs = delivery.waitMs;
    } else {
      groups.push({ ids: [delivery.deliveryId], dueAtMs, waitMs: delivery.waitMs });
      endMs = dueAtMs + windowMs;
    }
  }
  return groups;
}

const dueAt = (delivery: WaitingDelivery) => delivery.dueAtMs ?? 0;
