// Groups work that is due within a short time, so that one activity does it together.

export interface Group<T> {
  items: T[];
  /** The wait until the last item is due. It is a duration, because due times are by the database's clock. */
  waitMs: number;
}

/** `windowOf`: how long an item waits for its group, from the wait of the first item. Nothing is early. */
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
