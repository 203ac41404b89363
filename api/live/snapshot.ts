// Which transactions a present state has already, so that their changes are not told after it.

export interface Snapshot {
  /** Every transaction below had ended. */
  readonly begin: bigint;
  /** Every transaction from here on came later. */
  readonly end: bigint;
  /** Those between the two that had not ended. */
  readonly running: ReadonlySet<bigint>;
}

/** Of the text that Postgres gives: `begin:end:running,running`. */
export function parseSnapshot(text: string): Snapshot {
  const [begin = '', end = '', running = ''] = text.split(':');
  return {
    begin: BigInt(begin),
    end: BigInt(end),
    running: new Set(running === '' ? [] : running.split(',').map(BigInt)),
  };
}

export function formatSnapshot({ begin, end, running }: Snapshot): string {
  return `${begin}:${end}:${[...running].join(',')}`;
}

/** Such as Postgres gives: in order, with no more transactions than run at once. */
export function isSnapshot({ begin, end, running }: Snapshot): boolean {
  return (
    begin <= end &&
    running.size <= maxRunning &&
    [...running].every((xid) => xid >= begin && xid < end)
  );
}

/** Transactions that write at the same time: fewer than a server has connections. */
const maxRunning = 1_000;

export function hasSeen({ end, running }: Snapshot, xid: bigint): boolean {
  return xid < end && !running.has(xid);
}
