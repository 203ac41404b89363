// What a process reports about its health, and which failures count against it.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { generateKey } from '../../../api/api-keys/key.ts';
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { createHealth, type Health, type HealthOptions } from '../../../api/server/health.ts';
import { createTemporalClient } from '../../../api/server/temporal-connection.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { connectDatabase, type DatabaseConnection } from '../../../schema/database/connect.ts';
import { createTestDatabase, setReadOnly, type TestDatabase } from '../../support/rows/database.ts';
import { elapse } from '../../support/elapse.ts';
import { watchStatements } from '../../support/rows/statements.ts';
import { startProxy } from '../../support/servers/proxy.ts';
import { skipAhead } from '../../support/skip-ahead.ts';

/** An address without a server. */
const nowhere = '127.0.0.1:1';

describe('findMissing', () => {
  test('names missing migrations', async () => {
    await using database = await createTestDatabase({ isEmpty: true });
    await using setting = healthOf(database.url);
    expect(await setting.health.findMissing()).toEqual(['migrations']);
  });

  test('names a read-only database', async () => {
    await using database = await createTestDatabase();
    await setReadOnly(database, 'on');
    await using setting = healthOf(database.url);
    expect(await setting.health.findMissing()).toEqual(['writable']);
  });

  test('names the first API key until it exists', async () => {
    await using database = await createTestDatabase();
    const firstKey = generateKey('production');
    await using setting = healthOf(database.url, { firstKey });
    expect(await setting.health.findMissing()).toEqual(['api_key']);
    await createProjectWithKey(database.db, 'test', firstKey);
    skipAhead(1_000);
    await expect.poll(() => setting.health.findMissing()).toEqual([]);
    await database.db.deleteFrom('api_keys').execute();
    skipAhead(1_000);
    using statements = watchStatements();
    const checkAgain = async () => ({
      missing: await setting.health.findMissing(),
      isNew: statements.count(/^select 1$/) > 0,
    });
    await expect.poll(checkAgain).toEqual({ missing: [], isNew: true });
  });

  test('names an unavailable database', async () => {
    await using setting = healthOf(`postgres://nobody@${nowhere}/none`);
    expect(await setting.health.findMissing()).toEqual(['database', 'writable', 'migrations']);
  });
});

test.concurrent(
  'a report recovers when Temporal answers again after it was silent to new connections',
  async () => {
    const proxy = await startProxy(new URL(`tcp://${inject('temporalAddress')}`));
    const temporalAddress = proxy.address;
    {
      await using setting = healthOf(inject('adminDatabaseUrl'), { temporalAddress });
      const findTemporal = async () => (await setting.health.report()).parts.temporal.ok;
      proxy.silence();
      expect(await findTemporal()).toBe(false);
      proxy.restore();
      expect(await findTemporal()).toBe(true);
    }
    await proxy.cut();
  },
);

// In parallel, because some wait for timeouts.
describe.concurrent('findOwnFailures', () => {
  /** A failure counts after three times as long. */
  const databaseTimeoutMs = 500;
  const lasting = () =>
    elapse(3 * databaseTimeoutMs + 50, 'the timeouts that make a failure count have to pass');
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test('names an exhausted pool if a new connection works', async ({ expect }) => {
    await using setting = healthOf(database.url, { databaseTimeoutMs });
    const held = Promise.withResolvers<void>();
    const { db } = setting.connection;
    let heldCount = 0;
    const hold = () =>
      db.connection().execute(() => {
        heldCount++;
        return held.promise;
      });
    const holding = [hold(), hold()];
    await expect.poll(() => heldCount).toBe(2);
    await lasting();
    const failures = await setting.health.findOwnFailures();
    held.resolve();
    await Promise.all(holding);
    expect(failures).toEqual(['database_pool']);
    expect(await setting.health.findOwnFailures()).toEqual([]);
  });

  test('does not name the pool if a new connection fails too', async ({ expect }) => {
    const proxy = await startProxy(new URL(database.url));
    await using setting = healthOf(proxy.urlOf(database.url), { databaseTimeoutMs });
    proxy.silence();
    await lasting();
    expect(await setting.health.findOwnFailures()).toEqual([]);
    await proxy.cut();
  });

  test('names a worker that stays down while Temporal answers', async ({ expect }) => {
    let isRunning = true;
    const isWorkerRunning = () => isRunning;
    await using setting = healthOf(database.url, { databaseTimeoutMs, isWorkerRunning });
    expect(await setting.health.findOwnFailures()).toEqual([]);
    isRunning = false;
    expect(await setting.health.findOwnFailures()).toEqual([]);
    await lasting();
    expect(await setting.health.findOwnFailures()).toEqual(['worker']);
    isRunning = true;
    expect(await setting.health.findOwnFailures()).toEqual([]);
  });

  test('does not name a worker that is still starting', async ({ expect }) => {
    const isWorkerRunning = () => false;
    await using setting = healthOf(database.url, { databaseTimeoutMs, isWorkerRunning });
    await setting.health.findOwnFailures();
    await lasting();
    expect(await setting.health.findOwnFailures()).toEqual([]);
  });

  test('does not name the worker while Temporal is unavailable', async ({ expect }) => {
    let isRunning = true;
    await using setting = healthOf(database.url, {
      databaseTimeoutMs,
      isWorkerRunning: () => isRunning,
      temporalAddress: nowhere,
    });
    await setting.health.findOwnFailures();
    isRunning = false;
    await setting.health.findOwnFailures();
    await lasting();
    expect(await setting.health.findOwnFailures()).toEqual([]);
  });
});

interface HealthSetting extends AsyncDisposable {
  readonly health: Health;
  readonly connection: DatabaseConnection;
}

function healthOf(
  databaseUrl: string,
  options: Pick<HealthOptions, 'isWorkerRunning' | 'firstKey'> & {
    databaseTimeoutMs?: number;
    temporalAddress?: string;
  } = {},
): HealthSetting {
  const { databaseTimeoutMs = 1_000, temporalAddress, ...rest } = options;
  const config = readConfig({ FANFARE_DATABASE_TIMEOUT_MS: String(databaseTimeoutMs) });
  const database = connectDatabase({
    url: databaseUrl,
    maxConnections: 2,
    applicationName: 'test',
  });
  const address = temporalAddress ?? inject('temporalAddress');
  const connectTemporal = () => createTemporalClient({ address, config });
  const health = createHealth({
    role: 'api',
    config,
    databaseUrl,
    database,
    connectTemporal,
    ...rest,
  });
  return {
    health,
    connection: database,
    async [Symbol.asyncDispose]() {
      health.stop();
      await database.close();
    },
  };
}
