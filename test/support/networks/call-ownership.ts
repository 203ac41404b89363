// Processes that share a target at a slow network. With their clock, another process soon takes over the call
// of a dead process.
import { sql } from 'kysely';
import { vi } from 'vitest';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import type { Db } from '../../../schema/database/tables.ts';
import type { Phase } from '../../../schema/posts/posts.ts';
import { connectSlowNetwork, type SlowNetwork } from '../slow-network.ts';
import { dependenciesOf, shortClock } from './posting.ts';

export const clock = { ...shortClock, heartbeatMs: 200, lostAfterMs: 2_000 };
/** Clearly longer than a dead process owns its call. */
const longCallMs = clock.lostAfterMs * 1.2;
export const noCalls = { prepare: 0, commit: 0, confirm: 0, reconcile: 0 };
export const fewestCalls = { ...noCalls, prepare: 1, commit: 1 };

/** The dependencies of another process, from the view of the database. */
export const createProcess = (
  db: Db,
  network: SlowNetwork,
  itsClock = clock,
): AdvanceDependencies =>
  dependenciesOf(db, { platform: connectSlowNetwork(network.url) }, itsClock);

export async function waitForCall(network: SlowNetwork, phase: Phase, count = 1): Promise<void> {
  const hasCome = () => network.calls[phase] >= count;
  await vi.waitUntil(hasCome, { timeout: 30_000, interval: 20 });
}

/** Waits until the process that began the call has owned it for longer than a dead process could. */
export async function waitForLongCall(db: Db, resultId: string): Promise<void> {
  const isLong = async () => {
    const { ownedMs } = await db
      .selectFrom('post_results')
      .select(sql<number>`extract(epoch from heartbeat_at - begun_at)::float8 * 1000`.as('ownedMs'))
      .where('id', '=', resultId)
      .executeTakeFirstOrThrow();
    return ownedMs > longCallMs;
  };
  await vi.waitUntil(isLong, { timeout: 20_000 });
}
