// Connections to Postgres that are silent, although nobody has closed them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectDatabase, type ConnectOptions } from '../../../schema/database/connect.ts';
import { createNotifier } from '../../../schema/database/notifier.ts';
import { createListener } from '../../../schema/database/live/listen.ts';
import { startProxy, type Proxy } from '../../support/servers/proxy.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
let proxy: Proxy;
let url: string;

beforeEach(async () => {
  proxy = await startProxy(new URL(database.url));
  url = proxy.urlOf(database.url);
});
afterEach(async () => {
  await proxy.cut();
  await expect.poll(() => countOf('fanfare %')).toBe(0);
});

/** A busy machine answers any query within it. */
const queryTimeoutMs = 1_500;
const connect = (options: Partial<ConnectOptions> = {}) =>
  connectDatabase({
    url,
    maxConnections: 2,
    applicationName: 'silent test',
    queryTimeoutMs,
    ...options,
  });

/** Milliseconds until the work succeeds or fails. */
async function measure(work: Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work.catch(() => undefined);
  return performance.now() - startedAtMs;
}

describe('the pool', () => {
  test('ends a query that gets no answer, and replaces its connection', async () => {
    const { db, close } = connect();
    await sql`select 1`.execute(db);
    proxy.silence();
    await expect(sql`select 2`.execute(db)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    proxy.restore();
    expect((await sql`select 3 as three`.execute(db)).rows).toEqual([{ three: 3 }]);
    await close();
  });

  test('ends a transaction at its first unanswered statement', async () => {
    const { db, close } = connect();
    const stuck = db.transaction().execute(async (trx) => {
      proxy.silence();
      await sql`select 1`.execute(trx);
    });
    expect(await measure(stuck)).toBeLessThan(queryTimeoutMs + 4_000);
    await close();
  });

  test('bounds the wait for a new connection', async () => {
    const { db, close } = connect();
    proxy.silence();
    expect(await measure(sql`select 1`.execute(db))).toBeLessThan(queryTimeoutMs + 4_000);
    await close();
  });

  test('closes while its connections are silent', async () => {
    const { db, close } = connect();
    await Promise.all([1, 2].map(() => sql`select 1`.execute(db)));
    proxy.silence();
    const stuck = sql`select 2`.execute(db).catch(() => undefined);
    expect(await measure(close())).toBeLessThan(queryTimeoutMs + 4_000);
    await stuck;
  });

  test('lets a migration take any time', async () => {
    const { db, close } = connect({ queryTimeoutMs: 0, transactionTimeoutS: 0 });
    await sql`select pg_sleep(${(2 * queryTimeoutMs) / 1_000})`.execute(db);
    await close();
  });

  test('accepts an answer that came while the process was suspended', async () => {
    // The proxy would stop too.
    const { db, close } = connect({ url: database.url });
    await sql`select 1`.execute(db);
    const answer = sql`select 2 as two`.execute(db);
    await nextTurn(); // It is sent by then.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * queryTimeoutMs);
    expect((await answer).rows).toEqual([{ two: 2 }]);
    await close();
  });
});

describe('the listener', () => {
  test('notices a silent connection, and listens again on another connection', async () => {
    const listener = createListener(url, queryTimeoutMs);
    const notifier = createNotifier(database.url);
    let [losses, polls, wakes] = [0, 0, 0];
    listener.onLost(() => losses++);
    listener.on('fanfare_outbox', () => polls++);
    listener.on('fanfare_changes', () => wakes++);
    await expect.poll(() => listening()).toBe(1);
    proxy.silence();
    await expect.poll(() => losses).toBeGreaterThan(0);
    proxy.restore();
    // The silent connection stays open at the server.
    await expect.poll(() => listening()).toBe(2);
    // Repeated, since it may be connected and not listen yet. Its polls alone call both equally often.
    const notify = () => {
      notifier.notify('fanfare_changes');
      return wakes - polls;
    };
    await expect.poll(notify).toBeGreaterThan(0);
    await Promise.all([listener.close(), notifier.close()]);
  });

  test('closes while its connection is silent', async () => {
    const listener = createListener(url, queryTimeoutMs);
    await expect.poll(() => listening()).toBe(1);
    proxy.silence();
    expect(await measure(listener.close())).toBeLessThan(10_000);
  });
});

describe('the notifier', () => {
  test('notifies on a new connection after a silent one, and closes while it is silent', async () => {
    const listener = createListener(database.url);
    const notifier = createNotifier(url, queryTimeoutMs);
    // Repeated, since a notification is lost if its connection takes too long on a busy machine.
    const notify = () => {
      notifier.notify('fanfare_changes');
      return countOf('fanfare notifier');
    };
    await expect.poll(notify).toBe(1);
    proxy.silence();
    notifier.notify('fanfare_changes');
    proxy.restore();
    await expect.poll(notify).toBeGreaterThan(1);
    proxy.silence();
    expect(await measure(notifier.close())).toBeLessThan(10_000);
    await listener.close();
  });
});

const listening = () => countOf('fanfare listener');

async function countOf(name: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name like ${name}`.execute(database.db);
  return rows[0]!.n;
}
