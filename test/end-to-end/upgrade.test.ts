// The recorded version becomes the next one while it publishes and delivers: `api` first, back, and `worker` first. Nothing
// is lost or made twice, the data of the recorded version stays, and each version continues the workflows of the other.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../activities/dispatch/workflow-bundle.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import type { Api } from '../support/app/api.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { checkOut, copyWithMigrations, type Checkout } from '../support/upgrade/checkout.ts';
import { restoreInstallation, type UpgradedInstallation } from '../support/upgrade/installation.ts';
import { createLoad } from '../support/upgrade/load.ts';
import { fixtures, readRelease } from '../support/upgrade/release.ts';

/** As a next version could add to the tables that are written most. The recorded version doesn't know the columns. */
const additions = {
  'more-posts': `create table more_posts (id text primary key);
    alter table posts add column more text not null default 'new'`,
  'more-results': `alter table post_results add column more jsonb not null default '{}'`,
  'more-deliveries': `alter table deliveries add column more int not null default 0`,
  'more-outbox': `alter table outbox add column more timestamptz not null default now()`,
};

const release = readRelease();
const cacheDirectory = inject('cacheDirectory');
let old: Checkout;
let next: Checkout;
let network: TestApp;
let bundles: Record<'old' | 'new', { codePath: string }>;

beforeAll(async () => {
  [old, next, network] = await Promise.all([
    checkOut(release.commit),
    copyWithMigrations(additions),
    startApp({ roles: { api: true, worker: false } }),
  ]);
  const [ofOld, ofNext] = await Promise.all(
    [old, next].map((checkout) => checkout.bundle(cacheDirectory)),
  );
  expect(ofNext).not.toBe(ofOld);
  bundles = { old: { codePath: ofOld! }, new: await workflowBundle(cacheDirectory) };
}, 120_000);
afterAll(async () => {
  await Promise.all([old?.[Symbol.asyncDispose](), next?.[Symbol.asyncDispose](), network?.stop()]);
});

/** Data that nothing changes during the upgrade, by their IDs. */
async function readLasting(api: Api): Promise<Map<string, object>> {
  const paths = [
    '/v1/posts?status=failed,partial,canceled,draft&limit=100',
    '/v1/posts?q=published&limit=100',
    '/v1/media?limit=100',
    '/v1/queues',
    '/v1/users',
    '/v1/platform-credentials',
    '/v1/webhooks',
    '/v1/project',
  ];
  const lists = paths.map(async (path) => {
    const data = [(await api.get(path)).body.data].flat();
    expect(data, path).not.toEqual([]);
    return data.map((item, i) => {
      delete item.last_delivery_at;
      return [String(item.id ?? `${path} ${i}`), item as object] as const;
    });
  });
  return new Map((await Promise.all(lists)).flat());
}

/** The migration waits for a table, and is killed. Another one then runs the rest. */
async function killMigration({ database, migrate }: UpgradedInstallation): Promise<void> {
  const findWaiting = async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like 'alter table deliveries%'`.execute(database.db);
    return rows[0]?.pid;
  };
  const reader = new Client({ connectionString: database.url });
  await reader.connect();
  try {
    await reader.query('begin; select from deliveries limit 1');
    await using killed = migrate(next);
    await expect.poll(findWaiting, { timeout: 60_000 }).toBeDefined();
    await killed.kill9();
  } finally {
    await reader.end();
  }
  await expect.poll(findWaiting).toBeUndefined();
  await runMigrate(migrate(next), 'Migrated: 0004-more-deliveries, 0005-more-outbox.');
}

async function runMigrate(program: ReturnType<Checkout['start']>, answer: string): Promise<void> {
  const { code } = await program.exit;
  expect(code, program.output()).toBe(0);
  expect(program.output()).toContain(answer);
}

test('both orders, back and forward: nothing is lost or made twice', async () => {
  await using receiver = await startReceiver();
  const load = createLoad(network.database.db, receiver);
  await using installation = await restoreInstallation({
    release,
    cacheDirectory,
    receiverUrl: receiver.url,
    sandboxUrl: `${network.url}/sandbox`,
  });
  const { replace, migrate } = installation;
  const write = (stage: string) => load.write(installation.api, stage);

  await runMigrate(migrate(old), 'Nothing to migrate.');
  await replace('api', old);
  // These began when the version was recorded.
  const open = (await installation.api.get('/v1/posts?q=open&limit=100')).body.data;
  expect(open).toHaveLength(3);
  load.add(open);
  const before = await readLasting(installation.api);
  await replace('worker', old);
  await write('old version');

  await killMigration(installation);
  await write('migrated');
  await replace('api', next);
  await write('api first');
  await replace('worker', next);
  await write('new version');

  await runMigrate(migrate(old), 'Nothing to migrate.');
  // Each mix of versions occurs on a way forward.
  await Promise.all([replace('api', old), replace('worker', old)]);
  await write('back');

  await replace('worker', next);
  await write('worker first');
  await replace('api', next);
  await write('forward again');
  await load.settle(installation.api);
  const after = await readLasting(installation.api);
  for (const [id, item] of before) expect(after.get(id), id).toMatchObject(item);
  expect(installation.errors()).toEqual([]);
}, 300_000);

const historiesOf = {
  old: `${fixtures}histories/`,
  new: fileURLToPath(new URL('../workflows/histories/', import.meta.url)),
};
const namesOf = (version: 'old' | 'new') =>
  readdirSync(historiesOf[version]).filter((name) => name.endsWith('.json'));

async function replay(path: string, version: 'old' | 'new'): Promise<void> {
  const { workflowId, history } = JSON.parse(readFileSync(path, 'utf8'));
  await Worker.runReplayHistory(
    { workflowBundle: bundles[version] },
    temporal.api.history.v1.History.fromObject(history),
    String(workflowId),
  );
}

test('a commit that this clone lacks, or that is of another branch, is refused with what to do', async () => {
  await expect(checkOut('0'.repeat(40))).rejects.toThrow(/is missing.*`git fetch --unshallow`/);
  const { stdout: other } = await promisify(execFile)('git', [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@example.com',
    'commit-tree',
    '-m',
    'of another branch',
    'HEAD^{tree}',
  ]);
  await expect(checkOut(other.trim())).rejects.toThrow(/not an ancestor.*record:upgrade/);
});

describe('a history of the recorded version replays in this one', () => {
  test('for each workflow', () => {
    expect(namesOf('old')).toHaveLength(namesOf('new').length);
  });

  test.each(namesOf('old'))('%s', (name) => replay(`${historiesOf.old}${name}`, 'new'));
});

describe('a history of this version replays in the recorded one', () => {
  test.each(namesOf('new'))('%s', (name) => replay(`${historiesOf.new}${name}`, 'old'));
});
