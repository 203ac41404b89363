// Groups items that are due within a short time, so that one activity can handle them together.

export interface Group<T> {
  items: T[];
  /** The wait until the last item is due. It is a duration, because due times are by the database's clock. */
  waitMs: number;
}

/**
 * `windowOf`: returns how long a group gathers, from the wait of its first item. No item's wait gets shorter.
 */
export function groupByTime<T extends { waitMs: number }>(
  waiting: T[],
  windowOf: (waitMs: number) => number,
): Group<T>[] {
  const groups: Group<T>[] = [];
  let endMs = -Infinity;
  for (const item of waiting.toSorted((a, b) => a.waitMs - b.waitMs)) {
    const group = groups.at(-1);
    if (group && item.waitMs <= endMs) {
      group.items.push(item);
      group.waitMs = item.waitMs;
    } else {
      groups.push({ items: [item], waitMs: item.waitMs });
      endMs = item.waitMs + windowOf(item.waitMs);
    }
  }
  return groups;
}
