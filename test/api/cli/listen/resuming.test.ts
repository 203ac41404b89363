// `cli listen` over breaks: a server that restarts, a run that ends, a receiver that is slow.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../../../api/embedded/free-ports.ts';
import { insertChanges } from '../../../../schema/database/live/changes.ts';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import { startListening } from '../../../support/receivers/listener.ts';
import { startReceiver, type Receiver } from '../../../support/receivers/receiver.ts';
import type { Tenant } from '../../../support/app/seed.ts';

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

/** Each with an event; their ids. */
async function connect(names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await tenant.connectSandbox(name)).id);
  return ids;
}

/** What came at this path, by the accounts that it is about. */
const received = (path: string) =>
  receiver.requests
    .filter((request) => request.path === path)
    .map((request) => request.json().data.social_account_id as string);

const until = (path: string, count: number) =>
  expect.poll(() => received(path).length, { timeout: 20_000 }).toBe(count);

describe('a project in which nothing happens', () => {
  test('keeps the cursor file young all the same', async () => {
    await using busy = await startApp({
      env: { FANFARE_BOOKMARK_MS: '1000' },
      roles: { api: true, worker: false },
    });
    const quiet = await busy.createTenant('quiet');
    const cursorFile = join(directory, 'quiet');
    const target = { url: busy.url, key: quiet.key };
    await using _listener = await startListening(
      target,
      '--no-forward',
      '--cursor-file',
      cursorFile,
    );
    const first = readFileSync(cursorFile, 'utf8');
    await busy.tenant.connectSandbox('ada');
    await expect.poll(() => readFileSync(cursorFile, 'utf8')).not.toBe(first);
  });
});

describe('a server that goes away and comes back', () => {
  test('costs no event and repeats none, also before the first one', async () => {
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
    await using listener = await startListening(target, ...words);
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
    expect(listener.output().match(/^The stream is broken/gm)).toHaveLength(2);
    expect(listener.output().match(/^The stream goes on[.]$/gm)).toHaveLength(2);
    await server.stop();
  });
});

describe('a run that ends', () => {
  test('is gone on with by the next one, from its cursor file', async () => {
    const target = { url: app.url, key: tenant.key };
    const cursorFile = join(directory, 'cursor');
    const words = ['--forward-to', `${receiver.url}/runs`, '--cursor-file', cursorFile];
    const first = await startListening(target, ...words);
    const ids = await connect(['a']);
    await until('/runs', 1);
    await first.waitForOutput(/ {2}200 {2}/);
    await first.stop();
    ids.push(...(await connect(['b', 'c'])));
    const second = await startListening(target, ...words);
    await until('/runs', 3);
    await second.stop();
    expect(received('/runs')).toEqual(ids);
    expect(existsSync(`${cursorFile}.new`)).toBe(false);
  });

  test('is gone on with before its first event', async () => {
    const target = { url: app.url, key: tenant.key };
    const cursorFile = join(directory, 'early');
    const words = ['--forward-to', `${receiver.url}/early`, '--cursor-file', cursorFile];
    const first = await startListening(target, ...words);
    await first.stop();
    const [id] = await connect(['a']);
    const after = readFileSync(cursorFile, 'utf8').trim();
    await using _second = await startListening(target, ...words.slice(0, 2), '--after', after);
    await until('/early', 1);
    expect(received('/early')).toEqual([id]);
  });

  test('leaves an event to the next one that its server had not taken', async () => {
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
    await using _second = await startListening(target, ...words, ...cursorFile);
    await until('/taken', 2);
    expect(received('/taken')).toEqual([id, id]);
    await first.stop();
  });
});

describe('a receiver that is slower than the events', () => {
  test('gets them all, each once and in order', async () => {
    const { db, notifier } = app.context;
    await connect(['a', 'b', 'c']);
    const events = await db
      .selectFrom('events')
      .select(['id', 'social_account_id'])
      .where('project_id', '=', tenant.projectId)
      .orderBy('id')
      .execute();
    const target = { url: app.url, key: tenant.key };
    await using _listener = await startListening(target, '--forward-to', `${receiver.url}/slow`);
    const told = Array.from({ length: 1_500 }, (_, i) => events[(i * i) % events.length]!);
    for (let i = 0; i < told.length; i += 100) {
      await insertChanges(
        db,
        told.slice(i, i + 100).map(({ id }) => ({
          project_id: tenant.projectId,
          subject: 'event' as const,
          subject_id: id,
          kind: 'recorded',
        })),
      );
    }
    notifier.notify('fanfare_changes');
    await until('/slow', told.length);
    expect(received('/slow')).toEqual(told.map((event) => event.social_account_id));
  });
});
