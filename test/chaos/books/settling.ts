// Waits until nothing is under way. When the time is up, it watches what has not ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../schema/database/tables.ts';
import { readStreams, type Sources } from './facts.ts';
import { readOpenWork } from './open-work.ts';
import type { Watched } from './records.ts';
import { decide } from './verdicts.ts';

export interface Patience {
  /** How long to wait, which is also the longest that anything may wait on purpose. */
  settleMs: number;
  /** How long what has not ended may stand still. */
  watchMs: number;
}

/** Requests that were on their way are read meanwhile. */
const drainMs = 1_000;

/**
 * Waits until no post and no delivery is under way and every stream is complete, or the time is up. Then it
 * stops every process where it is, so that what it returns stays true.
 */
export async function settle(
  sources: Omit<Sources, 'watched'>,
  { settleMs, watchMs }: Patience,
): Promise<Watched> {
  const { cluster, liveClients } = sources;
  return cluster.withDatabase(async (db) => {
    const isSettled = await waitUntilSettled(db, sources, settleMs);
    const read = () => readOpenWork(db, { address: cluster.temporal.address });
    const before = new Map((await read()).map((work) => [work.id, work]));
    const counts = liveClients.map(({ received }) => received.length);
    const watchedMs = isSettled ? 0 : watchMs;
    await sleep(watchedMs);
    cluster.freeze();
    const at = new Date();
    await sleep(drainMs);
    const options = { at, watchedMs, mostWaitMs: settleMs };
    const open = await read();
    const moving = liveClients.filter(({ received }, i) => received.length !== counts[i]);
    return {
      open: new Map(open.map((work) => [work.id, decide(before.get(work.id), work, options)])),
      moving: new Set(moving.map(({ name }) => name)),
    };
  });
}

async function waitUntilSettled(
  db: Db,
  sources: Omit<Sources, 'watched'>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if ((await countOpen(db)) === 0 && (await areStreamsComplete(db, sources))) return true;
    await sleep(250);
  }
  return false;
}

async function countOpen(db: Db): Promise<number> {
  const count = (table: 'posts' | 'deliveries', statuses: string[]) =>
    db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('status', 'in', statuses as never[])
      .executeTakeFirstOrThrow();
  const open = [
    await count('posts', ['pending', 'scheduled']),
    await count('deliveries', ['pending', 'retrying']),
  ];
  return open.reduce((sum, { count }) => sum + Number(count), 0);
}

async function areStreamsComplete(db: Db, sources: Omit<Sources, 'watched'>): Promise<boolean> {
  const streams = await readStreams(db, sources);
  return streams.every(({ received, recorded }) => received.length >= recorded.length);
}
