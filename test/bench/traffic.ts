// Commits posts or events, at a pace or at once, and waits until the receiver has read all their webhook requests.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchReceiver } from './receiver.ts';

export interface Traffic {
  /** Posts or events. Each causes one request. */
  count: number;
  /** Null: all are committed at once. */
  perSecond: number | null;
  /** Commits this number at once. Returns the IDs of the posts or of the events. */
  commit(count: number): Promise<string[]>;
}

const timeoutMs = 60_000;

/** Returns the milliseconds from each commit to the moment when the receiver had read the request. */
export async function sendTraffic(
  receiver: BenchReceiver,
  { count, perSecond, commit }: Traffic,
): Promise<number[]> {
  const committed = new Map<string, bigint>();
  async function commitSome(some: number): Promise<void> {
    for (const id of await commit(some)) committed.set(id, process.hrtime.bigint());
  }
  const before = await receiver.report();
  if (perSecond === null) await commitSome(count);
  else await atPace(count, perSecond, () => commitSome(1));
  const { arrivals } = await receiver.waitFor(before.count + count, timeoutMs);
  const latencies = arrivals.flatMap(([eventId, subjectId, atNs]) => {
    const id = committed.has(eventId) ? eventId : subjectId;
    const committedNs = committed.get(id);
    committed.delete(id);
    return committedNs === undefined ? [] : [Number(BigInt(atNs) - committedNs) / 1e6];
  });
  if (committed.size > 0) throw new Error(`${committed.size} requests came twice, others never.`);
  return latencies;
}

/** Begins the work `perSecond` times a second, and waits until all of it has ended. */
export async function atPace(
  count: number,
  perSecond: number,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const begun: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    const waitMs = startedAt + (i * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    begun.push(work());
  }
  await Promise.all(begun);
}
