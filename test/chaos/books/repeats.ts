// Two books of what happened once too often: posts that no result knows, and deliveries taken twice.

/** From before a fault until every process served again. */
export interface Window {
  from: Date;
  to: Date;
}

interface Orphans {
  stored: readonly { results: readonly { id: string }[] }[];
  published: readonly { id: string | number; reference: string; createdAt: Date }[];
  lostWindows: readonly Window[];
}

interface Repeats {
  receipts: readonly { deliveryId: string; isTaken: boolean; at: Date }[];
  faultWindows: readonly Window[];
}

const isWithin = (at: Date, windows: readonly Window[]) =>
  windows.some(({ from, to }) => at >= from && at <= to);

/** Each public post belongs to a stored result, except those that a restored copy can't know. */
export function balanceOrphans({ stored, published, lostWindows }: Orphans) {
  const known = new Set(stored.flatMap(({ results }) => results.map(({ id }) => id)));
  const differences = published
    .filter(
      ({ reference, createdAt }) => !known.has(reference) && !isWithin(createdAt, lostWindows),
    )
    .map(({ id, reference }) => `post ${id} is public, and no result is ${reference || 'named'}`);
  return { name: 'public posts have a result', entries: published.length, differences };
}

/** A receiver takes a delivery once, unless a fault hit the process that had it in flight. */
export function balanceRepeats({ receipts, faultWindows }: Repeats) {
  const taken = receipts.filter(({ isTaken }) => isTaken);
  const byDelivery = Map.groupBy(taken, ({ deliveryId }) => deliveryId);
  const differences: string[] = [];
  for (const [id, all] of byDelivery) {
    const extra = all.slice(0, -1).filter(({ at }) => !isWithin(at, faultWindows));
    if (extra.length === 0) continue;
    differences.push(
      `delivery ${id} was taken ${all.length} times, ${extra.length} without a fault`,
    );
  }
  return { name: 'deliveries were taken once', entries: byDelivery.size, differences };
}
