// `listen` after a restart of the server or of itself, and with a slow receiver.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../../api/server/ports.ts';
import { insertChanges } from '../../../schema/database/live/changes.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { listenHere, startListening } from '../../support/receivers/listener.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import type { Tenant } from '../../support/app/seed.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

let app: TestApp;
let tenant: Tenant;
let receiver: Receiver;
const directory = mkdtempSync(join(tmpdir(), 'fanfare-listen-'));

beforeAll(async () => {
  [app, receiver] = await Promise.all([startApp(), startReceiver()]);
});
afterAll(async () => {
  await receiver.close();
  await app.stop();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  tenant = await app.createTenant();
});

/** Connects accounts, each with an event. Returns their IDs. */
async function connect(names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await tenant.connectSandbox(name)).id);
  return ids;
}

/** The account IDs of the events received at this path. */
const received = (path: string) =>
  receiver.requests
    .filter((request) => request.path === path)
    .map((request) => request.json().data.social_account_id as string);

const until = (path: string, count: number, timeout = 20_000) =>
  expect.poll(() => received(path).length, { timeout }).toBe(count);

describe('an idle project', () => {
  test('keeps the cursor file up to date', async () => {
    await using busy = await startApp({
      env: { FANFARE_BOOKMARK_MS: '1000' },
      roles: { api: true, worker: false },
    });
    const quiet = await busy.createTenant('quiet');
    const cursorFile = join(directory, 'quiet');
    const target = { url: busy.url, key: quiet.key };
    await using _listener = await listenHere(target, '--no-forward', '--cursor-file', cursorFile);
    const first = readFileSync(cursorFile, 'utf8');
    await busy.tenant.connectSandbox('ada');
    await expect.poll(() => readFileSync(cursorFile, 'utf8')).not.toBe(first);
  });
});

describe('a server that restarts', () => {
  test('loses and repeats no event, also before the first one', async () => {
    const [port] = await findFreePorts([0]);
    const { database, namespace } = app;
    const startServer = () =>
      startApp({
        env: { FANFARE_PORT: String(port) },
        roles: { api: true, worker: false },
        database,
        namespace,
      });
    let server = await startServer();
    const target = { url: `http://127.0.0.1:${port}`, key: tenant.key };
    const words = ['--forward-to', `${receiver.url}/restart`];
    await using listener = await listenHere(target, ...words);
    const ids: string[] = [];
    for (const names of [
      ['a', 'b'],
      ['c', 'd', 'e'],
    ]) {
      if (ids.length > 0) await server.context.feed.close();
      await server.stop();
      ids.push(...(await connect(names)));
      server = await startServer();
      ids.push(...(await connect([`${names[0]}2`])));
      await until('/restart', ids.length);
    }
    expect(received('/restart')).toEqual(ids);
    expect(listener.output().match(/^Connection lost/gm)).toHaveLength(2);
    expect(listener.output().match(/^Reconnected[.]$/gm)).toHaveLength(2);
    await server.stop();
  });
});

describe('the next run', () => {
  test('resumes from the cursor file', async () => {
    const target = { url: app.url, key: tenant.key };
    const cursorFile = join(directory, 'cursor');
    const words = ['--forward-to', `${receiver.url}/runs`, '--cursor-file', cursorFile];
    const first = await listenHere(target, ...words);
    const ids = await connect(['a']);
    await until('/runs', 1);
    await first.waitForOutput(/ {2}200 {2}/);
    await first.stop();
    ids.push(...(await connect(['b', 'c'])));
    const second = await listenHere(target, ...words);
    await until('/runs', 3);
    await second.stop();
    expect(received('/runs')).toEqual(ids);
    expect(existsSync(`${cursorFile}.new`)).toBe(false);
  });

  test('resumes from a cursor saved before the first event', async () => {
    const target = { url: app.url, key: tenant.key };
    const cursorFile = join(directory, 'early');
    const words = ['--forward-to', `${receiver.url}/early`, '--cursor-file', cursorFile];
    const first = await listenHere(target, ...words);
    await first.stop();
    const [id] = await connect(['a']);
    const after = readFileSync(cursorFile, 'utf8').trim();
    await using _second = await listenHere(target, ...words.slice(0, 2), '--after', after);
    await until('/early', 1);
    expect(received('/early')).toEqual([id]);
  });

  test('sends an event again that the server had not answered', async () => {
    const target = { url: app.url, key: tenant.key };
    const words = ['--forward-to', `${receiver.url}/taken`];
    const cursorFile = ['--cursor-file', join(directory, 'taken')];
    receiver.respondWith(() => 'hang');
    const first = await startListening(target, ...words, ...cursorFile);
    const [id] = await connect(['a']);
    await until('/taken', 1);
    const askedAt = Date.now();
    expect(await first.interrupt()).toEqual({ code: 0, signal: null });
    expect(Date.now() - askedAt).toBeLessThan(8_000);
    receiver.respondWith(() => ({ status: 200 }));
    await using _second = await listenHere(target, ...words, ...cursorFile);
    await until('/taken', 2);
    expect(received('/taken')).toEqual([id, id]);
    await first.stop();
  });
});

describe('a receiver that is slower than the events', () => {
  test('gets every event once and in order', async () => {
    const { db, notifier } = app.context;
    await connect(['a', 'b', 'c']);
    const events = await db
      .selectFrom('events')
      .select(['id', 'social_account_id'])
      .where('project_id', '=', tenant.projectId)
      .orderBy('id')
      .execute();
    const target = { url: app.url, key: tenant.key };
    await using _listener = await listenHere(target, '--forward-to', `${receiver.url}/slow`);
    const recorded = Array.from({ length: 1_500 }, (_, i) => events[(i * i) % events.length]!);
    for (let i = 0; i < recorded.length; i += 100) {
      const changes = recorded.slice(i, i + 100).map(({ id }) => ({
        project_id: tenant.projectId,
        subject: 'event' as const,
        subject_id: id,
        kind: 'recorded' as const,
      }));
      await inQuietTransaction(db, (trx) => insertChanges(trx, changes));
    }
    notifier.notify('fanfare_changes');
    await until('/slow', recorded.length, 60_000);
    expect(received('/slow')).toEqual(recorded.map((event) => event.social_account_id));
  }, 90_000);
});
