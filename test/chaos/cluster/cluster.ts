// The topology of a run: two `api`, two `worker`, Postgres, Temporal, and the sandbox network apart.
import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import { findFreePorts } from '../../../api/server/ports.ts';
import { inspectProcess } from '../../support/processes.ts';
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { migrate } from '../../../schema/database/migrate.ts';
import { usesProductionTemporal } from '../../support/servers/production-temporal.ts';
import { findTemporal } from '../../support/servers/servers.ts';
import { createRole, type Role, type RoleOptions } from './role.ts';
import { startPostgres, startProductionTemporal, startTemporal } from './servers.ts';
import type { PostgresServer, TemporalServer } from './servers.ts';

export interface Cluster {
  readonly postgres: PostgresServer;
  readonly temporal: TemporalServer;
  readonly apis: readonly Role[];
  readonly workers: readonly Role[];
  readonly urls: readonly string[];
  /** Each with a key that has every right. */
  readonly projects: readonly { id: string; key: string }[];
  /** What a CLI command of the installation is run with. */
  readonly env: Record<string, string>;
  /** On the installation's database, beside its processes. */
  withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** On the sandbox network's database, which no fault touches. */
  withSandbox<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** The processes that do not serve within the time. */
  findSilent(timeoutMs: number): Promise<string[]>;
  /** Stops every process where it is, until `thaw`. Postgres and Temporal go on. */
  freeze(): void;
  thaw(): void;
  output(): Record<string, string>;
  stop(): Promise<void>;
}

/** Short waits, so that what takes hours in production is seen in seconds. */
const settings = {
  FANFARE_SANDBOX: 'true',
  FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
  FANFARE_LOG_LEVEL: 'warn',
  FANFARE_RATE_LIMIT_PER_MINUTE: '0',
  FANFARE_MONTHLY_POSTS_PER_ACCOUNT: '0',
  FANFARE_MIN_SCHEDULE_AHEAD_S: '1',
  FANFARE_UNAVAILABLE_DELAYS_MS: '200,500',
  FANFARE_RECONCILE_DELAYS_MS: '0,300,700,1500',
  FANFARE_DELIVERY_DELAYS_MS: '500,1000,2000',
  FANFARE_DELIVERY_TIMEOUT_MS: '1500',
  FANFARE_SWEEP_EVERY_S: '1',
  FANFARE_SWEEP_OVERDUE_S: '5',
};

/** Below those that systems give to outgoing connections, one of which could take a port before its process. */
const [leastPort, mostPort] = [10_000, 32_768];

/** An `interrupted` run ends at once, but not before what is being started is known. */
export async function startCluster(
  interrupted: AbortSignal,
  projectCount: number,
): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-chaos-'));
  // Postgres runs as another user when we are root, and has to pass through.
  chmodSync(directory, 0o755);
  const ends: (() => Promise<void>)[] = [];
  const processes: RunningProcess[] = [];
  const endAtOnce = () => endProcesses(processes, directory);
  process.on('exit', endAtOnce);
  async function stop(): Promise<void> {
    await Promise.all(ends.map((end) => end()));
    remove(directory);
    process.off('exit', endAtOnce);
  }

  async function launch() {
    const programs = join(directory, 'programs');
    mkdirSync(programs);
    process.env['NODE_COMPILE_CACHE'] ??= join(directory, 'compiled');
    const startingNetwork = startPostgres(join(directory, 'network')).then((server) =>
      keep(server),
    );
    const temporalDirectory = join(directory, 'temporal');
    const startingTemporal = usesProductionTemporal
      ? startingNetwork.then(({ url }) => startProductionTemporal(temporalDirectory, url))
      : findTemporal().then((executable) => startTemporal(temporalDirectory, executable));
    const started = await Promise.allSettled([
      startPostgres(join(directory, 'main')).then((server) => keep(server)),
      startingNetwork,
      startingTemporal.then((server) => keep(server)),
      workflowBundle(join(programs, 'cache')),
      findFreePorts(Array.from({ length: 5 }, () => randomInt(leastPort, mostPort))),
    ] as const);
    interrupted.throwIfAborted();
    interrupted.addEventListener('abort', () => process.exit());
    const [postgres, network, temporal, , ports] = started.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    }) as [PostgresServer, PostgresServer, TemporalServer, unknown, number[]];

    const projects = await onDatabase(postgres.url, async (db) => {
      await migrate(db);
      const created = [];
      for (let number = 1; number <= projectCount; number++) {
        const { row, key } = await createProjectWithKey(db, `chaos ${number}`);
        created.push({ id: row.project_id, key });
      }
      return created;
    });
    await onDatabase(network.url, migrate);

    const env = {
      ...settings,
      FANFARE_VAULT_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
      FANFARE_SANDBOX_API_URL: `http://127.0.0.1:${ports[2]}/sandbox`,
    };
    const servers = { postgres, temporal };
    const add = async (options: Omit<RoleOptions, 'dataDirectory'>) => {
      const role = await createRole({ ...options, dataDirectory: programs });
      ends.push(() => role.stop());
      processes.push({ pid: () => (role.isRunning ? role.pid : undefined) });
      role.start();
      return role;
    };
    const onPort = (index: number) => ({
      ...env,
      FANFARE_PORT: String(ports[index]),
      FANFARE_WORKER_PORT: String(ports[index]),
    });
    const sandbox = await add({
      name: 'sandbox',
      command: 'api',
      servers: { postgres: network, temporal },
      env: onPort(2),
    });
    const apis = [
      await add({ name: 'api-1', command: 'api', servers, env: onPort(0) }),
      await add({ name: 'api-2', command: 'api', servers, env: onPort(1) }),
    ];
    const workers = [
      await add({ name: 'worker-1', command: 'worker', servers, env: onPort(3) }),
      await add({ name: 'worker-2', command: 'worker', servers, env: onPort(4) }),
    ];
    const roles = [sandbox, ...apis, ...workers];
    const [url1, url2, , ...workerUrls] = ports.map((port) => `http://127.0.0.1:${port}`);
    const urls = [url1!, url2!];
    const cluster: Cluster = {
      postgres,
      temporal,
      apis,
      workers,
      urls,
      projects,
      env,
      withDatabase: (work) => onDatabase(postgres.url, work),
      withSandbox: (work) => onDatabase(network.url, work),
      async findSilent(timeoutMs) {
        const deadline = Date.now() + timeoutMs;
        const checks = [
          ...apis.map(({ name }, i) => ({ name, check: () => serves(urls[i]!, projects[0]!.key) })),
          ...workers.map(({ name }, i) => ({ name, check: () => isWell(workerUrls[i]!) })),
        ];
        const silent = await Promise.all(
          checks.map(async ({ name, check }) => {
            while (!(await check().catch(() => false))) {
              if (Date.now() > deadline) return name;
              await sleep(100);
            }
            return '';
          }),
        );
        return silent.filter(Boolean);
      },
      freeze: () => roles.forEach((role) => role.stall()),
      thaw: () => roles.forEach((role) => role.resume()),
      output: () => ({
        postgres: readFileSync(join(directory, 'main', 'postgres.log'), 'utf8'),
        temporal: readFileSync(join(directory, 'temporal', 'temporal.log'), 'utf8'),
        ...Object.fromEntries(
          [sandbox, ...apis, ...workers].map((role) => [role.name, role.output()]),
        ),
      }),
      stop,
    };
    const silent = await cluster.findSilent(180_000);
    if (silent.length > 0) {
      const outputs = silent.map((name) => `${name}:\n${cluster.output()[name]}`);
      throw new Error(`Not up after 180 s:\n${outputs.join('\n')}`);
    }
    return cluster;
  }

  function keep<Server extends { pid: number; stop(): Promise<void> }>(server: Server): Server {
    ends.push(() => server.stop());
    processes.push({ pid: () => server.pid });
    return server;
  }

  try {
    return await launch();
  } catch (error) {
    await stop();
    throw error;
  }
}

async function onDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const connection = connectDatabase({
    url,
    maxConnections: 4,
    applicationName: 'chaos',
    transactionTimeoutS: 0,
  });
  try {
    return await work(connection.db);
  } finally {
    await connection.close();
  }
}

async function serves(url: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const signal = AbortSignal.timeout(3_000);
  return (await fetch(`${url}/v1/project`, { headers, signal })).status === 200;
}

/** Whether a worker runs, and reaches its servers. */
async function isWell(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(3_000) });
  return ((await answer.json()) as { status: string }).status === 'ok';
}

interface RunningProcess {
  pid(): number | undefined;
}

/** At its exit a process can only wait by standing still. */
function endProcesses(processes: RunningProcess[], directory: string): void {
  const alive = () => processes.map(({ pid }) => pid()).filter((pid) => pid && inspectProcess(pid));
  // The children of Postgres end with it, since its shared memory is gone.
  for (const pid of alive()) process.kill(pid!, 'SIGKILL');
  for (let waits = 0; waits < 100 && alive().length > 0; waits++) standStill(20);
  standStill(200);
  remove(directory);
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
