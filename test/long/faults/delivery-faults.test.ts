// The program or its servers are killed with 2,000 deliveries in flight: none is lost, and only these may be sent twice.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRunningDatabase } from '../../../api/embedded/postgres-cluster.ts';
import { isAlive } from '../../support/processes.ts';
import { connectDatabase, type DatabaseConnection } from '../../../schema/database/connect.ts';
import type { Api } from '../../support/app/api.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';
import {
  heldCount,
  holdDeliveries,
  type Installation,
} from '../../support/receivers/held-deliveries.ts';
import {
  findServer,
  removeDataDirectory,
  startProgram,
  type Program,
} from '../../support/app/program.ts';

const dataDirectory = createBundledDirectory();
let program: Program;
let api: Api;
let connection: DatabaseConnection | undefined;
const installation: Installation = {
  get api() {
    return api;
  },
  get db() {
    return connection!.db;
  },
};

async function start(): Promise<void> {
  program = startProgram({
    dataDirectory,
    env: {
      FANFARE_DELIVERIES_PER_ENDPOINT: '1000',
      FANFARE_DELIVERY_DELAYS_MS: '5000,5000,5000',
      FANFARE_LOG_LEVEL: 'error',
    },
  });
  api = await program.waitForReady();
  await connection?.close();
  connection = connectDatabase({
    url: findRunningDatabase(dataDirectory)!,
    maxConnections: 10,
    applicationName: 'test',
  });
}

type Victim = 'program' | 'postgres' | 'temporal';

/** Resolves when they are gone. The program ends with any of its servers. */
async function kill9(victims: Victim[]): Promise<void> {
  const pids = victims.map((victim) =>
    victim === 'program' ? program.pid : findServer(dataDirectory, victim)!,
  );
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  const { code } = await program.exit;
  if (!victims.includes('program')) {
    expect(code).toBe(1);
    expect(program.output()).toMatch(/^(Postgres|Temporal) was killed by SIGKILL\.$/m);
  }
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
}

beforeAll(start);

afterAll(async () => {
  await connection?.close();
  await program?.stop();
  await removeDataDirectory(dataDirectory);
});

describe('kill -9 while 2,000 deliveries are in flight', () => {
  test.each<[string, Victim[]]>([
    ['the program', ['program']],
    ['Postgres', ['postgres']],
    ['Temporal', ['temporal']],
    ['everything', ['program', 'postgres', 'temporal']],
  ])(
    'repeats only deliveries in flight, and each arrives: %s',
    async (name, victims) => {
      await using held = await holdDeliveries(installation);
      const inFlight = await held.readInFlight();
      expect(inFlight.size).toBeGreaterThanOrEqual(heldCount);
      await kill9(victims);
      const restartedAtMs = Date.now();
      held.release();
      const committing = held.commitMore(20);
      await start();
      const readyMs = Date.now() - restartedAtMs;
      await committing;
      const { lastSentAt, repeatedCount } = await held.conclude(inFlight);
      const sentMs = lastSentAt.getTime() - restartedAtMs;
      console.log(
        `${name}: ready after ${readyMs} ms, all sent after ${sentMs} ms; ` +
          `of ${inFlight.size} in flight, ${repeatedCount} came again`,
      );
      // None of those held had an answer.
      expect(repeatedCount).toBeGreaterThanOrEqual(heldCount);
      expect(sentMs).toBeLessThan(60_000);
    },
    180_000,
  );
});
