// A call belongs to the process that began it, with processes of the operating system.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AdvanceProgramInput } from '../support/app/advance-program.ts';
import {
  clock,
  createProcess,
  fewestCalls,
  waitForCall,
  waitForLongCall,
} from '../support/networks/call-ownership.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { addTarget, advanceToEnd } from '../support/rows/targets.ts';
import { startSlowNetwork, type SlowNetwork } from '../support/slow-network.ts';

const shiftMs = 3_600_000;

let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

const createTarget = async () => (await addTarget(database.db)).resultId;

/** Starts a process of the operating system that advances the target to its end. */
function startProcess(
  network: SlowNetwork,
  resultId: string,
  clockShiftMs = 0,
): ChildProcess & AsyncDisposable {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const input: AdvanceProgramInput = {
    databaseUrl: database.url,
    networkUrl: network.url,
    resultId,
    clock,
  };
  const child = spawn(
    process.execPath,
    [
      '--import',
      path('../chaos/clock-shift.ts'),
      path('../support/app/advance-program.ts'),
      JSON.stringify(input),
    ],
    { env: { ...process.env, CLOCK_SHIFT_MS: String(clockShiftMs) }, stdio: 'inherit' },
  );
  const exit = once(child, 'exit');
  return Object.assign(child, {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  });
}

async function waitForProcess(resultId: string): Promise<void> {
  const find = sql`select from pg_stat_activity where application_name = ${resultId}`;
  const isConnected = async () => (await find.execute(database.db)).rows.length > 0;
  await vi.waitUntil(isConnected, { timeout: 20_000 });
}

describe.concurrent('a call of a living process', () => {
  test('is not repeated by a process whose clock is an hour ahead', async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await using network = await startSlowNetwork({ prepare: [{ until }] });
    const resultId = await createTarget();
    const first = advanceToEnd(createProcess(database.db, network), resultId);
    await waitForCall(network, 'prepare');
    await using second = startProcess(network, resultId, shiftMs);
    await waitForProcess(resultId);
    await waitForLongCall(database.db, resultId);
    answer();
    await Promise.all([first, once(second, 'exit')]);
    expect(network.calls).toEqual(fewestCalls);
  });

  test('stays with a process whose clock is an hour behind', async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await using network = await startSlowNetwork({ prepare: [{ until }] });
    const resultId = await createTarget();
    await using _first = startProcess(network, resultId, -shiftMs);
    await waitForCall(network, 'prepare');
    const second = advanceToEnd(createProcess(database.db, network), resultId);
    await waitForLongCall(database.db, resultId);
    answer();
    await second;
    expect(network.calls).toEqual(fewestCalls);
  });
});

describe.concurrent('the call of a dead process', () => {
  test('is taken over from a killed process, and from a suspended one', async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await using network = await startSlowNetwork({ prepare: [{ until }, { until }] });
    const resultId = await createTarget();
    await using killed = startProcess(network, resultId);
    await waitForCall(network, 'prepare');
    killed.kill('SIGKILL');
    await using stalled = startProcess(network, resultId);
    await waitForCall(network, 'prepare', 2);
    stalled.kill('SIGSTOP');
    await advanceToEnd(createProcess(database.db, network), resultId);
    stalled.kill('SIGCONT');
    answer();
    await once(stalled, 'exit');
    expect(network.calls).toEqual({ ...fewestCalls, prepare: 3 });
  });
});
