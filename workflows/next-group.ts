// Which waiting deliveries are attempted next, and when: those due within a few seconds, together.
import type { WaitingDelivery } from '../schema/workflows.ts';

/** A delivery waits at most this long for the others of its group; none is attempted early. */
const windowMs = 3_000;

export interface Group {
  group: string[];
  later: WaitingDelivery[];
  wakeAtMs: number;
}

export function nextGroup(waiting: WaitingDelivery[]): Group {
  const dueAt = (delivery: WaitingDelivery) => delivery.dueAtMs ?? 0;
  const endMs = Math.min(...waiting.map(dueAt)) + windowMs;
  const group = waiting.filter((delivery) => dueAt(delivery) <= endMs);
  return {
    group: group.map((delivery) => delivery.deliveryId),
    later: waiting.filter((delivery) => dueAt(delivery) > endMs),
    wakeAtMs: Math.max(...group.map(dueAt)),
  };
}
