// Ends a worker at every step of a run in turn, and has another one carry the run to its end.
import { expect } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { sql } from 'kysely';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import type { Db, PostResultRow } from '../../../schema/database/tables.ts';
import { cancel } from './canceling.ts';
import { carryRun } from './carrying.ts';
import type { Fault } from './faults.ts';
import { createLife, type Interruption, type Manner } from './life.ts';
import type { NetworkKind, SimulatedNetwork } from './network.ts';
import { dependenciesOf, listTargets, writePost, type Shape, type TestPost } from './posting.ts';
import { expectTruth } from './truth.ts';

export interface Walk {
  kind: NetworkKind;
  shape: Shape;
  /** What goes wrong at the network besides, so that the walk passes there. */
  fault?: Extract<Fault, 'answer_lost' | 'token_expired'> | undefined;
  manner: Manner;
}

interface Ground {
  db: Db;
  pool: Pool;
}

const walkersCount = 6;
const lockWaitMs = 20;

/** Returns how many steps the run has. */
export async function walkSteps(ground: Ground, walk: Walk): Promise<number> {
  const count = (await liveTwice(ground, walk, undefined)).length;
  const ahead = listInterruptions(count, walk.manner);
  const walker = async () => {
    for (let next = ahead.pop(); next; next = ahead.pop()) await tell(ground, walk, next);
  };
  await Promise.all(Array.from({ length: walkersCount }, walker));
  return count;
}

/** Who fails before a step and who fails after the one before it have done the same, but in a stumble. */
function listInterruptions(count: number, manner: Manner): Interruption[] {
  const moments = manner === 'stumbles' ? (['before', 'after'] as const) : (['after'] as const);
  return Array.from({ length: count }, (_, i) => i + 1).flatMap((step) =>
    moments.map((moment) => ({ step, moment, manner })),
  );
}

async function tell(ground: Ground, walk: Walk, interruption: Interruption): Promise<void> {
  const steps: string[] = [];
  try {
    await liveTwice(ground, walk, interruption, steps);
  } catch (error) {
    const { step, moment, manner } = interruption;
    const where = `The worker ${manner} ${moment} step ${step}: ${steps[step - 1]}`;
    throw new Error(`${where}\n${String(error)}`, { cause: error });
  }
}

async function liveTwice(
  { db, pool }: Ground,
  { kind, shape, fault }: Walk,
  interruption: Interruption | undefined,
  told: string[] = [],
): Promise<readonly string[]> {
  await using network = await kind.start(db);
  const { switchboard } = network;
  if (fault) {
    const stage = fault === 'answer_lost' || !kind.calls.prepare ? 'commit' : 'prepare';
    switchboard.plans.push({ stage, call: 1, times: 1, fault });
  }
  const post = await writePost(db, network, shape);
  let scene: Scene | undefined;
  let canceling: Promise<string[]> | undefined;
  const life = createLife({
    pool,
    interruption,
    onInterrupt: async () => {
      scene = await readScene(db, network, post);
      if (interruption?.manner !== 'is overtaken') return;
      canceling = cancel(db, post);
      // It may have to wait for a transaction of the worker's.
      await Promise.race([canceling, sleep(lockWaitMs)]);
    },
  });
  life.follow(switchboard);
  const first = dependenciesOf(life.db, network);
  await life.live(() => carryRun(first, post)).catch(() => undefined);
  told.push(...life.steps);
  const canceled = (await canceling) ?? [];
  expect(scene === undefined).toBe(interruption === undefined);

  delete switchboard.onCall;
  await passTime(db, post);
  const second: AdvanceDependencies = dependenciesOf(db, network);
  await carryRun(second, post);
  const rows = await expectTruth(second, network, post, { isStoryWhole: false });
  for (const [i, row] of rows.entries()) {
    const before = rows[i - 1];
    const ends = listEnds({ kind, fault, row, before, scene, interruption, canceled });
    expect(ends).toContain(row.error_code ?? row.status);
  }
  return life.steps;
}

/** How things stood when the worker was interrupted. */
interface Scene {
  rows: PostResultRow[];
  /** The network has given new tokens, and nobody has written them. */
  isLoginLost: boolean;
}

async function readScene(db: Db, network: SimulatedNetwork, post: TestPost): Promise<Scene> {
  const { credential_version } = await db
    .selectFrom('social_accounts')
    .select('credential_version')
    .where('id', '=', post.accountId)
    .executeTakeFirstOrThrow();
  return {
    rows: await listTargets(db, post),
    isLoginLost: (await network.countRefreshes()) >= credential_version,
  };
}

/** A lease, and the ownership of a call, end by the clock alone when their holder is dead. */
async function passTime(db: Db, { accountId, postId }: TestPost): Promise<void> {
  await db
    .updateTable('post_results')
    .set({ heartbeat_at: null })
    .where('post_id', '=', postId)
    .where('phase_state', '=', 'begun')
    .execute();
  await db
    .updateTable('social_accounts')
    .set({ refresh_lease_until: sql<Date>`now()` })
    .where('id', '=', accountId)
    .where('refresh_lease_until', 'is not', null)
    .execute();
}

interface Question {
  kind: NetworkKind;
  fault: Walk['fault'];
  row: PostResultRow;
  /** What the row answers. */
  before: PostResultRow | undefined;
  scene: Scene | undefined;
  interruption: Interruption | undefined;
  /** What somebody was told that it is canceled. */
  canceled: string[];
}

/** What the row may have come to: one thing, where the worker died. */
function listEnds(question: Question): string[] {
  const { kind, fault, row, before, scene, interruption, canceled } = question;
  if (interruption?.manner === 'is overtaken') {
    return [canceled.includes(row.id) ? 'canceled' : 'published'];
  }
  if (before && before.status !== 'published') return ['answered_post_missing'];
  const left = scene?.rows.find(({ id }) => id === row.id);
  if (left && left.status !== 'pending' && left.status !== 'publishing') {
    return [left.error_code ?? left.status];
  }
  // The network was asked for new tokens and they went down with the worker.
  if (scene?.isLoginLost) return ['token_expired'];
  if (kind.resolution !== 'none') return ['published'];
  const isLost = fault === 'answer_lost' && !before;
  if (isLost) return ['outcome_unknown'];
  if (left?.phase !== 'commit' || left.phase_state !== 'begun') return ['published'];
  return interruption?.manner === 'dies' ? ['outcome_unknown'] : ['outcome_unknown', 'published'];
}
