// Waits until nothing is under way. When the time is up, it watches what has not ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../schema/database/tables.ts';
import { readStreams, type Sources } from './facts.ts';
import { readOpenWork } from './open-work.ts';
import type { Watched } from './records.ts';
import { judge } from './verdicts.ts';

export interface Patience {
  /** How long to wait, which is also the longest that anything may wait on purpose. */
  settleMs: number;
  /** How long what has not ended may stand still. */
  watchMs: number;
}

/** Returns once no post and no delivery is under way and every stream is complete, or the time is up. */
export async function settle(
  sources: Omit<Sources, 'watched'>,
  { settleMs, watchMs }: Patience,
): Promise<Watched> {
  const { cluster } = sources;
  return cluster.withDatabase(async (db) => {
    const deadline = Date.now() + settleMs;
    while (Date.now() < deadline) {
      if ((await countOpen(db)) === 0 && (await areStreamsComplete(db, sources))) return settled;
      await sleep(250);
    }
    const look = () => readOpenWork(db, { address: cluster.temporal.address });
    const countReceived = () => sources.liveClients.map(({ received }) => received.length);
    const before = new Map((await look()).map((work) => [work.id, work]));
    const counts = countReceived();
    await sleep(watchMs);
    const options = { at: new Date(), watchedMs: watchMs, mostWaitMs: settleMs };
    const now = await look();
    const moved = countReceived().map((count, i) => count !== counts[i]);
    return {
      open: new Map(now.map((work) => [work.id, judge(before.get(work.id), work, options)])),
      moving: new Set(sources.liveClients.filter((_, i) => moved[i]).map(({ name }) => name)),
    };
  });
}

const settled: Watched = { open: new Map(), moving: new Set() };

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
