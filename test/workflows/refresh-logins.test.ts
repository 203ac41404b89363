// The schedule that refreshes logins, on a real Temporal server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlatforms } from '../../activities/platforms/index.ts';
import { keepWorker } from '../../api/server/keep-worker.ts';
import { refreshScheduleId } from '../../schema/workflows.ts';
import { createEngine, type Engine } from '../support/app/engine.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { addGrant, readCredentials } from '../support/rows/grants.ts';
import { addProject, rowsVault } from '../support/rows/rows.ts';
import { addAccountOf } from '../support/rows/targets.ts';
import { createScriptedNetwork } from '../support/scripted-network.ts';
import { installQuietRuntime } from '../support/servers/quiet-runtime.ts';
import { createTestNamespace, type TestNamespace } from '../support/servers/temporal.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let engine: Engine;

beforeAll(async () => {
  installQuietRuntime();
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
  engine = createEngine(database, { namespace: namespace.namespace });
});

afterAll(async () => {
  await engine.close();
  await Promise.all([namespace.close(), database.drop()]);
});

test('a run refreshes all due logins, group after group', async () => {
  const { db } = database;
  const network = createScriptedNetwork();
  network.refreshed = { tokenExpiresAt: new Date(Date.now() + 7_200_000) };
  const projectId = await addProject(db);
  const refreshAt = new Date(Date.now() - 1_000);
  const accounts: string[] = [];
  for (let i = 0; i < 45; i++) {
    const grantId = await addGrant(db, { projectId, refreshAt, tokenExpiresAt: refreshAt });
    accounts.push((await addAccountOf(db, projectId, grantId, `a${i}`)).accountId);
  }
  const platforms = createPlatforms([network.platform]);
  const worker = keepWorker({ ...engine, platforms, address: namespace.address });
  try {
    await worker.ready;
    const scheduleId = refreshScheduleId(engine.config.temporal.taskQueue);
    const handle = namespace.client.schedule.getHandle(scheduleId);
    // A worker creates its schedules while it already works.
    await expect
      .poll(() => handle.describe().catch(() => undefined), { timeout: 10_000 })
      .toMatchObject({
        spec: { intervals: [{ every: 300_000 }], jitter: 60_000 },
        policies: { overlap: 'SKIP', catchupWindow: 300_000 },
      });
    await handle.trigger();
    await expect.poll(() => network.refreshes, { timeout: 20_000 }).toBe(45);
    const tokens = () => Promise.all(accounts.map((id) => readCredentials(db, rowsVault, id)));
    await expect.poll(tokens).toEqual(accounts.map(() => ({ token: 't+' })));
    const recentActions = async () => (await handle.describe()).info.recentActions;
    await expect.poll(recentActions, { timeout: 10_000 }).toHaveLength(1);
    const [recent] = await recentActions();
    const { workflowId } = recent!.action.workflow;
    await namespace.client.workflow.getHandle(workflowId).result();
    expect(network.refreshes).toBe(45);
  } finally {
    await worker.stop();
  }
});
