// Interrupts a worker at every step of a run in turn, and has another worker finish the run.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { describe, expect, test } from 'vitest';
import type { Db, PostResultRow } from '../../../schema/database/tables.ts';
import { forFile } from '../fixtures.ts';
import { useDatabase } from '../rows/database.ts';
import { expectConsistent } from './consistency.ts';
import {
  createFailingWorker,
  createWorkerPool,
  type Failure,
  type Interruption,
} from './failing-worker.ts';
import type { Fault } from './faults.ts';
import type { NetworkKind, SimulatedNetwork } from './network.ts';
import {
  cancel,
  dependenciesOf,
  listTargets,
  writePost,
  type Shape,
  type TestPost,
} from './posting.ts';
import { runPost } from './run-post.ts';
import { readGranted } from '../rows/grants.ts';

interface Scenario {
  shape: Shape;
  failure: Failure;
  /** A fault of the network. With it, the run also takes the steps that handle the fault. */
  fault?: Extract<Fault, 'answer_lost' | 'token_expired'>;
}

const scenarios: Scenario[] = [
  { shape: 'single', failure: 'dies' },
  { shape: 'single', failure: 'loses a connection' },
  { shape: 'single', failure: 'dies', fault: 'answer_lost' },
  { shape: 'single', failure: 'dies', fault: 'token_expired' },
  { shape: 'thread', failure: 'dies' },
  { shape: 'commented', failure: 'dies' },
  { shape: 'single', failure: 'races a cancellation' },
  { shape: 'thread', failure: 'races a cancellation' },
];

const parallelRuns = 6;
const lockWaitMs = 20;

export function describeStepFailures(
  kind: NetworkKind,
  shapes: readonly Shape[] = ['single', 'thread', 'commented'],
  /** Scenarios with or without a fault of the network. Default: both. */
  hasFault?: boolean,
): void {
  const database = useDatabase();
  const pool = forFile(
    () => createWorkerPool(database.url),
    (made) => made.end(),
  );

  describe(`a run at ${kind.name}`, () => {
    const applicable = scenarios.filter(
      ({ shape, fault }) =>
        shapes.includes(shape) &&
        (hasFault === undefined || hasFault === (fault !== undefined)) &&
        (fault !== 'token_expired' || kind.hasRefresh),
    );
    test.each(applicable)(
      'leaves consistent records when its worker $failure at any step: $shape, $fault',
      async (scenario) => {
        const setting = { db: database.db, pool, kind, ...scenario };
        const { length } = await runTwice(setting, undefined);
        expect(length).toBeGreaterThan(10);
        const left = listInterruptions(length, scenario.failure);
        const next = async () => {
          for (let each = left.pop(); each; each = left.pop()) await interrupt(setting, each);
        };
        await Promise.all(Array.from({ length: parallelRuns }, next));
      },
    );
  });
}

interface Setting extends Scenario {
  db: Db;
  pool: Pool;
  kind: NetworkKind;
}

/**
 * Lists the interruptions of a run. A failure before a step equals a failure after the previous step, unless
 * only a connection is lost.
 */
function listInterruptions(count: number, failure: Failure): Interruption[] {
  const moments =
    failure === 'loses a connection' ? (['before', 'after'] as const) : (['after'] as const);
  return Array.from({ length: count }, (_, i) => i + 1).flatMap((step) =>
    moments.map((moment) => ({ step, moment, failure })),
  );
}

async function interrupt(setting: Setting, interruption: Interruption): Promise<void> {
  const steps: string[] = [];
  try {
    await runTwice(setting, interruption, steps);
  } catch (error) {
    const { step, moment, failure } = interruption;
    const where = `The worker ${failure} ${moment} step ${step}: ${steps[step - 1]}`;
    throw new Error(`${where}\n${String(error)}`, { cause: error });
  }
}

/** Returns the steps of the first worker, and adds them to `taken` even if an expectation fails. */
async function runTwice(
  { db, pool, kind, shape, fault }: Setting,
  interruption: Interruption | undefined,
  taken: string[] = [],
): Promise<readonly string[]> {
  await using network = await kind.start(db);
  const { switchboard } = network;
  if (fault) {
    const { calls, publishingCall = 1 } = kind;
    const stage = fault === 'answer_lost' || !calls.prepare ? 'commit' : 'prepare';
    const call = stage === 'commit' ? publishingCall : 1;
    switchboard.plans.push({ stage, call, times: 1, fault });
  }
  const post = await writePost(db, network, shape);
  let snapshot: Snapshot | undefined;
  let canceling: Promise<string[]> | undefined;
  const worker = createFailingWorker({
    pool,
    interruption,
    onInterrupt: async () => {
      snapshot = await takeSnapshot(db, network, post);
      if (interruption?.failure !== 'races a cancellation') return;
      canceling = cancel(db, post);
      // Doesn't wait for the whole cancellation, which may have to wait for a transaction of the worker.
      await Promise.race([canceling, sleep(lockWaitMs)]);
    },
  });
  worker.follow(switchboard);
  await worker.run(() => runPost(dependenciesOf(worker.db, network), post)).catch(() => undefined);
  taken.push(...worker.steps);
  const canceled = (await canceling) ?? [];
  expect(snapshot === undefined).toBe(interruption === undefined);

  delete switchboard.onCall;
  await expireLeases(db, post);
  const second = dependenciesOf(db, network);
  await runPost(second, post);
  const rows = await expectConsistent(second, network, post, { areAttemptsComplete: false });
  for (const [i, row] of rows.entries()) {
    const parent = rows[i - 1];
    const ends = listEnds({ kind, fault, row, parent, snapshot, interruption, canceled });
    expect(ends).toContain(row.error_code ?? row.status);
  }
  return worker.steps;
}

/** The state when the worker was interrupted. */
interface Snapshot {
  rows: PostResultRow[];
  /** The network has issued new tokens, but no worker has stored them. */
  areTokensLost: boolean;
}

async function takeSnapshot(db: Db, network: SimulatedNetwork, post: TestPost): Promise<Snapshot> {
  const { credential_version } = await readGranted(db, post.accountId);
  return {
    rows: await listTargets(db, post),
    areTokensLost: (await network.countRefreshes()) >= credential_version!,
  };
}

/** When a worker dies, only time ends its lease and its ownership of a call. */
export async function expireLeases(db: Db, { accountId, postId }: TestPost): Promise<void> {
  await db
    .updateTable('post_results')
    .set({ heartbeat_at: null })
    .where('post_id', '=', postId)
    .where('phase_state', '=', 'begun')
    .execute();
  await db
    .updateTable('grants')
    .set({ refresh_lease_until: sql<Date>`now()` })
    .where('id', 'in', (eb) =>
      eb.selectFrom('social_accounts').select('grant_id').where('id', '=', accountId),
    )
    .where('refresh_lease_until', 'is not', null)
    .execute();
}

interface EndedTarget {
  kind: NetworkKind;
  fault: Scenario['fault'];
  row: PostResultRow;
  /** The row of the target that this target replies to. */
  parent: PostResultRow | undefined;
  snapshot: Snapshot | undefined;
  interruption: Interruption | undefined;
  /** Ids of the results that the cancellation reported as canceled. */
  canceled: string[];
}

/** The ends that the row may have. If the worker died, exactly one end is right. */
function listEnds(target: EndedTarget): string[] {
  const { kind, fault, row, parent, snapshot, interruption, canceled } = target;
  if (interruption?.failure === 'races a cancellation') {
    return [canceled.includes(row.id) ? 'canceled' : 'published'];
  }
  if (parent && parent.status !== 'published') return ['answered_post_missing'];
  const left = snapshot?.rows.find(({ id }) => id === row.id);
  if (left && left.status !== 'pending' && left.status !== 'publishing') {
    return [left.error_code ?? left.status];
  }
  if (snapshot?.areTokensLost && !kind.keepsRefreshToken) return ['token_expired'];
  if (kind.resolution !== 'none') return ['published'];
  const isLost = fault === 'answer_lost' && !parent;
  if (isLost) return ['outcome_unknown'];
  if (left?.phase !== 'commit' || left.phase_state !== 'begun') return ['published'];
  return interruption?.failure === 'dies' ? ['outcome_unknown'] : ['outcome_unknown', 'published'];
}
