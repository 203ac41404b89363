// Groups waiting deliveries that are due within a few seconds, so that one batch run attempts them together.
import type { WaitingDelivery } from '../schema/workflows.ts';

/** A delivery waits at most this long for its group. Nothing is attempted early. */
const windowMs = 3_000;

export interface Group {
  ids: string[];
  /**
   * The wait until the last delivery is due. It is a duration, because due times are by the database's clock.
   */
  waitMs: number;
}

export function groupByTime(waiting: WaitingDelivery[]): Group[] {
  const groups: Group[] = [];
  let endMs = -Infinity;
  for (const { deliveryId, waitMs } of waiting.toSorted((a, b) => a.waitMs - b.waitMs)) {
    const group = groups.at(-1);
    if (group && waitMs <= endMs) {
      group.ids.push(deliveryId);
      group.waitMs = waitMs;
    } else {
      groups.push({ ids: [deliveryId], waitMs });
      endMs = waitMs + windowMs;
    }
  }
  return groups;
}
