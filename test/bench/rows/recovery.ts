// From the restart after a kill -9 amid thousands of requests to the last delivery recorded.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../support/processes.ts';
import { findRunningDatabase } from '../../../api/embedded/postgres-cluster.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { findServer, startProgram, type Program } from '../../support/app/program.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';
import { addTenants } from '../endpoints.ts';
import { commitEvent } from '../events.ts';
import { createBenchDirectory } from '../installation.ts';
import type { Row } from '../result.ts';

/** Each has a webhook of its own. A project has only a share of the deliveries in flight. */
const projects = 40;
const eventsOfEach = 50;
const inFlight = projects * eventsOfEach;
const victims = {
  program: ['program'],
  postgres: ['postgres'],
  temporal: ['temporal'],
  everything: ['program', 'postgres', 'temporal'],
} as const;
type Victim = 'program' | 'postgres' | 'temporal';

export const recovery: Row = {
  id: 'recovery',
  title: `restart after a kill -9 with ${inFlight} deliveries in flight → all of them delivered`,
  async run(progress) {
    const parent = createBenchDirectory();
    const dataDirectory = join(parent, 'data');
    await using receiver = await startHoldingReceiver();
    let program = start(dataDirectory);
    try {
      const api = await program.waitForReady({ timeoutMs: 120_000 });
      const urls = Array.from({ length: projects }, (_, i) => `${receiver.url}${i}`);
      const projectIds = await withDatabase(dataDirectory, (db) => addTenants({ api, db }, urls));
      const seconds: Record<string, number> = {};
      for (const [name, killed] of Object.entries(victims)) {
        receiver.hold();
        await withDatabase(dataDirectory, (db) => commitEvents(db, projectIds));
        await receiver.waitForHeld(inFlight);
        await kill9(killed, program, dataDirectory);
        const restartedAt = performance.now();
        receiver.release();
        program = start(dataDirectory);
        await program.waitForReady({ timeoutMs: 120_000 });
        await waitUntilDelivered(dataDirectory);
        seconds[name] = (performance.now() - restartedAt) / 1_000;
        progress(`${name}: ${seconds[name].toFixed(1)} s`);
      }
      const samples = Object.values(seconds);
      return {
        id: 'recovery',
        value: Math.max(...samples),
        unit: 's',
        baseline: null,
        ratio: null,
        samples,
        details: seconds,
      };
    } finally {
      await program.stop();
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};

function start(dataDirectory: string): Program {
  const env = { FANFARE_DELIVERIES_PER_ENDPOINT: String(eventsOfEach), FANFARE_LOG_LEVEL: 'error' };
  return startProgram({ dataDirectory, env });
}

/** The program ends with any of its servers. */
async function kill9(killed: readonly Victim[], program: Program, dataDirectory: string) {
  const pids = killed.map((victim) =>
    victim === 'program' ? program.pid : findServer(dataDirectory, victim)!,
  );
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await program.exit;
  while (pids.some(isAlive)) await sleep(10);
}

async function withDatabase<T>(dataDirectory: string, work: (db: Db) => Promise<T>): Promise<T> {
  const url = findRunningDatabase(dataDirectory);
  if (url === undefined) throw new Error('Postgres is not up.');
  const connection = connectDatabase({ url, maxConnections: 10, applicationName: 'bench' });
  try {
    return await work(connection.db);
  } finally {
    await connection.close();
  }
}

async function commitEvents(db: Db, projectIds: readonly string[]): Promise<void> {
  const left = projectIds.flatMap((id) => Array<string>(eventsOfEach).fill(id));
  async function loop(): Promise<void> {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      await commitEvent({ db, notifier: quietNotifier }, id);
    }
  }
  await Promise.all(Array.from({ length: 10 }, loop));
}

/** However often the database is away. */
async function waitUntilDelivered(dataDirectory: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  const isDone = async (db: Db) =>
    (await db
      .selectFrom('deliveries')
      .select('id')
      .where('status', '<>', 'delivered')
      .limit(1)
      .executeTakeFirst()) === undefined;
  while (!(await withDatabase(dataDirectory, isDone).catch(() => false))) {
    if (Date.now() > deadline) throw new Error('Not all is delivered after 120 s.');
    await sleep(50);
  }
}

interface HoldingReceiver extends AsyncDisposable {
  readonly url: string;
  /** From now on requests wait for `release`. */
  hold(): void;
  release(): void;
  waitForHeld(count: number): Promise<void>;
}

async function startHoldingReceiver(): Promise<HoldingReceiver> {
  let isHolding = true;
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (isHolding) held.push(response);
    else response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    hold: () => (isHolding = true),
    release() {
      isHolding = false;
      for (const response of held.splice(0)) response.writeHead(204).end();
    },
    async waitForHeld(count) {
      while (held.length < count) await sleep(20);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
