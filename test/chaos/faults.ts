// The faults of a run, each with what brings the installation back; one at a time.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Cluster } from './cluster/cluster.ts';
import type { Load } from './load.ts';
import type { ChaosClient } from './client.ts';
import type { Random } from './random.ts';
import type { DistantProxy } from './cluster/proxies.ts';
import { root, type Role } from './cluster/role.ts';
import type { KillableServer } from './cluster/servers.ts';

export interface Scene {
  cluster: Cluster;
  client: ChaosClient;
  load: Load;
  random: Random;
  /** How long to wait on this machine for what takes so long on a quiet one. */
  deadline(ms: number): number;
  /**
   * From now on, or from that time on, outcomes of deliveries in flight may get lost: until the returned function
   * is called, or until every process serves again.
   */
  lose(from?: Date): () => void;
  /** Called once a restored copy is in use, with the time at which it was begun. */
  restored(copiedAt: Date): void;
}

export interface Fault {
  name: string;
  isShort: boolean;
  /** How soon every process serves again on a quiet machine; default: 45. */
  backInS?: number;
  run(scene: Scene): Promise<void>;
}

/** Longer than a row's heartbeat may be missing. */
const stallMs = 8_000;
const outageMs = 2_000;
/** Long enough for posts to be scheduled and to come due. */
const shiftedMs = 12_000;

export const faults: readonly Fault[] = [
  {
    name: 'kill-worker',
    isShort: true,
    async run({ cluster, random, lose }) {
      const end = lose();
      await killRole(random.pick(cluster.workers), end);
    },
  },
  {
    name: 'kill-api',
    isShort: false,
    run: ({ cluster, random }) => killRole(random.pick(cluster.apis)),
  },
  {
    name: 'kill-postgres',
    isShort: false,
    run: (scene) => killServer(scene, scene.cluster.postgres),
  },
  {
    name: 'kill-temporal',
    isShort: true,
    run: (scene) => killServer(scene, scene.cluster.temporal),
  },
  {
    name: 'wipe-temporal',
    isShort: false,
    run(scene) {
      const { temporal } = scene.cluster;
      return killServer(scene, temporal, () => temporal.wipe());
    },
  },
  {
    name: 'stall-worker',
    isShort: true,
    async run({ cluster, random, lose }) {
      const worker = random.pick(cluster.workers);
      lose();
      worker.stall();
      await sleep(stallMs);
      worker.resume();
    },
  },
  {
    name: 'silent-postgres-of-worker',
    isShort: true,
    run({ cluster, random, lose }) {
      lose();
      return silence(random.pick(cluster.workers).postgres);
    },
  },
  {
    name: 'silent-postgres-of-api',
    isShort: false,
    backInS: 20,
    async run({ client, cluster, random }) {
      await fillPools(client);
      await silence(random.pick(cluster.apis).postgres);
    },
  },
  {
    name: 'silent-temporal-of-worker',
    isShort: false,
    run({ cluster, random, lose }) {
      lose();
      return silence(random.pick(cluster.workers).temporal);
    },
  },
  { name: 'clock-behind', isShort: false, run: (scene) => shiftClock(scene, -60_000) },
  { name: 'clock-ahead', isShort: false, run: (scene) => shiftClock(scene, 3_600_000) },
  { name: 'rolling-restart', isShort: false, run: restartEach },
  { name: 'restore-postgres', isShort: false, run: restorePostgres },
];

/** Only a worker has deliveries in flight, and loses them at once. */
async function killRole(role: Role, killed: () => void = () => undefined): Promise<void> {
  await role.kill9();
  killed();
  await sleep(outageMs);
  role.start();
}

async function killServer(
  { lose }: Scene,
  server: KillableServer,
  meanwhile?: () => Promise<void> | void,
): Promise<void> {
  lose();
  await server.kill9();
  await sleep(outageMs);
  await meanwhile?.();
  await server.start();
}

async function silence(proxy: DistantProxy): Promise<void> {
  await proxy.silence();
  await sleep(outageMs);
  await proxy.restore();
}

/** So many requests at once that every connection is in use, and idle when it falls silent. */
async function fillPools(client: ChaosClient): Promise<void> {
  const request = { method: 'GET', path: '/v1/posts?limit=100' };
  await Promise.all(Array.from({ length: 60 }, () => client.send(request)));
}

/** A worker's own grace is 20 s. */
const graceMs = 30_000;

/** A process that is too slow to finish its work in time loses what it has in flight, as at a kill. */
async function terminate(role: Role, { deadline, lose }: Scene): Promise<void> {
  const from = new Date();
  const hasFinished = await role.terminate(deadline(graceMs));
  if (!hasFinished) lose(from)();
}

/** One worker has a wrong clock; then it is started again with the right one. */
async function shiftClock(scene: Scene, clockShiftMs: number): Promise<void> {
  const worker = scene.random.pick(scene.cluster.workers);
  await terminate(worker, scene);
  worker.start({ clockShiftMs });
  await sleep(shiftedMs);
  await terminate(worker, scene);
  worker.start();
}

/** As a deployment does: each process ends and is up again before the next one. */
async function restartEach(scene: Scene): Promise<void> {
  const { cluster, random, deadline } = scene;
  for (const role of random.shuffle([...cluster.apis, ...cluster.workers])) {
    await terminate(role, scene);
    role.start();
    await cluster.findSilent(deadline(120_000));
  }
}

/** How much of what happened the copy does not know. */
const lostMs = 6_000;

/**
 * Postgres is lost and put back from a copy, by the procedure for operators. The clients then repeat
 * what they asked for since the copy, with the same keys.
 */
async function restorePostgres({ cluster, client, load, restored }: Scene): Promise<void> {
  const { postgres, apis, workers } = cluster;
  const copiedAt = new Date();
  await postgres.copy();
  await sleep(lostMs);
  await client.hold();
  await postgres.kill9();
  await Promise.all([...apis, ...workers].map((role) => role.kill9()));
  await postgres.restoreCopy();
  await postgres.start();
  try {
    await runCommand(cluster, 'restored');
  } finally {
    for (const role of [...apis, ...workers]) role.start();
    await load.resend(copiedAt);
    restored(copiedAt);
    client.release();
  }
}

/** A command of the operator's, on the database itself. */
async function runCommand({ env, postgres }: Cluster, ...words: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'api/cli.ts'), ...words], {
    env: { PATH: process.env['PATH'], ...env, DATABASE_URL: postgres.url },
  });
}
