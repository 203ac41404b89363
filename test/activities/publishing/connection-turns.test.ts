// Targets of one project that wait for the database leave connections for those of another.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { createConnectionTurns } from '../../../api/http/connection-turns.ts';
import { connectDatabase, type DatabaseConnection } from '../../../schema/database/connect.ts';
import { createProcess, waitForCall } from '../../support/networks/call-ownership.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { lockRows } from '../../support/rows/locks.ts';
import { addTarget, getResult, targetRun } from '../../support/rows/targets.ts';
import { startSlowNetwork } from '../../support/slow-network.ts';

const connections = 4;
const database = useDatabase();
let worker: DatabaseConnection;

beforeAll(() => {
  worker = connectDatabase({
    url: database.url,
    maxConnections: connections,
    applicationName: 'worker',
    inTurn: createConnectionTurns(connections),
  });
});
afterAll(() => worker.close());

/** Targets of one project. */
async function addTargets(count: number): Promise<string[]> {
  const targets = [];
  for (let i = 0; i < count; i++) targets.push(await addTarget(database.db));
  const ids = targets.map(({ resultId }) => resultId);
  const { projectId } = targets[0]!;
  await database.db
    .updateTable('post_results')
    .set({ project_id: projectId })
    .where('id', 'in', ids)
    .execute();
  return ids;
}

const statusOf = async (id: string) => (await getResult(database.db, id)).status;

test('while the targets of a project wait for the database, another project publishes, and an answered call is recorded', async () => {
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  await using network = await startSlowNetwork({ commit: [{ until }] });
  const dependencies = createProcess(worker.db, network);
  const advance = (resultId: string) => advanceTarget(dependencies, { resultId, run: targetRun });
  const [called, ...waiting] = await addTargets(7);
  const { resultId: other } = await addTarget(database.db);

  const answered = advance(called!);
  await waitForCall(network, 'commit');
  const unlock = await lockRows(database.db, 'post_results', waiting);
  const blocked = waiting.map(advance);
  await expect.poll(() => worker.pool().total).toBeGreaterThanOrEqual(connections / 2);

  expect(await advance(other)).toEqual({ waitMs: null });
  expect(await statusOf(other)).toBe('published');
  answer();
  expect(await answered).toEqual({ waitMs: null });
  expect(await statusOf(called!)).toBe('published');

  await unlock();
  await Promise.all(blocked);
});
