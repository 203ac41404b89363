// Processes that share a target at a slow network, with a clock that soon takes over the call of a dead one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import type { Db } from '../../../schema/database/tables.ts';
import type { Phase } from '../../../schema/posts/posts.ts';
import { connectSlowNetwork, type SlowNetwork } from '../slow-network.ts';
import { dependenciesOf, shortClock } from './posting.ts';

export const clock = { ...shortClock, heartbeatMs: 200, lostAfterMs: 2_000 };
/** Longer than a dead process keeps its call. */
export const longCallMs = clock.lostAfterMs * 1.4;
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
  while (network.calls[phase] < count) await sleep(20);
}
