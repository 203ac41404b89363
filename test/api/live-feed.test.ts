// The live feed: every change once and in order, whoever commits late and whenever a stream begins.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Feed } from '../../api/live/feed.ts';
import { deleteChanges, readFeedHead } from '../../schema/database/changes.ts';
import { createListener, type Listener } from '../../schema/database/listen.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  changesOfPosts as filter,
  createTestFeed,
  createWriters,
  subjectIds as subjects,
  take,
  type Writers,
} from '../support/feed.ts';

let database: TestDatabase;
let writers: Writers;
let listener: Listener;
let feed: Feed;

beforeAll(async () => {
  database = await createTestDatabase();
  writers = createWriters(database.url);
  listener = createListener(database.url);
  feed = createTestFeed(database.db, listener);
});

afterAll(async () => {
  await feed.close();
  await Promise.all([listener.close(), writers.close()]);
  await database.drop();
});

const commit: Writers['commit'] = (...change) => writers.commit(...change);

describe('subscribe', () => {
  test('tells what is committed after it began, of its project, subject and id only', async () => {
    const all = await feed.subscribe(filter('prj_one'));
    const one = await feed.subscribe(filter('prj_one', 'post_b'));
    await commit('prj_two', ['post_x']);
    await commit('prj_one', ['post_a', 'post_b', 'post_c']);
    expect(subjects(await take(all, 3))).toEqual(['post_a', 'post_b', 'post_c']);
    expect(subjects(await take(one, 1))).toEqual(['post_b']);
    await Promise.all([all.return(), one.return()]);
  });

  test('misses nothing that is committed while it begins, with nobody listening before', async () => {
    for (let i = 0; i < 20; i++) {
      const subscribing = feed.subscribe(filter(`prj_race${i}`));
      const committing = commit(`prj_race${i}`, ['post_a']);
      const stream = await subscribing;
      await committing;
      expect(subjects(await take(stream, 1))).toEqual(['post_a']);
      await stream.return();
    }
  });

  test('goes on after a cursor without a gap or a duplicate', async () => {
    const ids = Array.from({ length: 700 }, (_, i) => `post_${i}`);
    const first = await feed.subscribe(filter('prj_resume'));
    await commit('prj_resume', ids);
    const items = await take(first, 700);
    expect(subjects(items)).toEqual(ids);
    await first.return();
    await sleep(1_000); // the recent changes are forgotten: the rest comes from the table
    const second = await feed.subscribe({ ...filter('prj_resume'), after: items[99]!.cursor });
    expect(subjects(await take(second, 600))).toEqual(ids.slice(100));
    await commit('prj_resume', ['post_more']);
    expect(subjects(await take(second, 1))).toEqual(['post_more']);
    await second.return();
  });

  test('keeps every stream whole and in one order under transactions that commit late', async () => {
    const projectId = 'prj_storm';
    const written: string[] = [];
    const { cursor: from } = await feed.readPresent(() => Promise.resolve());
    const early = await feed.subscribe(filter(projectId));
    const writersDone = new AbortController();
    const writing = Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let i = 0; i < 40; i++) {
          const ids = [0, 1, 2].map((n) => `post_${writer}_${i}_${n}`);
          written.push(...ids);
          await commit(projectId, ids, Math.random() < 0.2 ? 60 : Math.random() * 4);
        }
      }),
    ).finally(() => writersDone.abort());
    const total = 10 * 40 * 3;

    const late: Promise<string[]>[] = [];
    const joiner = (async () => {
      while (!writersDone.signal.aborted) {
        late.push(
          (async () => {
            const stream = await feed.subscribe({ ...filter(projectId), after: from });
            const seen = subjects(await take(stream, total));
            await stream.return();
            return seen;
          })(),
        );
        await sleep(40);
      }
    })();

    /** Leaves and comes back with the last cursor, again and again. */
    async function hopping(): Promise<string[]> {
      const seen: string[] = [];
      let after = from;
      while (seen.length < total) {
        const stream = await feed.subscribe({ ...filter(projectId), after });
        const items = await take(stream, Math.min(1 + (seen.length % 70), total - seen.length));
        await stream.return();
        seen.push(...subjects(items));
        after = items.at(-1)!.cursor;
      }
      return seen;
    }

    const [order, hopped] = await Promise.all([take(early, total), hopping(), writing, joiner]);
    const expected = subjects(order);
    expect(new Set(expected)).toEqual(new Set(written));
    expect(expected.length).toBe(total);
    expect(hopped).toEqual(expected);
    expect(late.length).toBeGreaterThan(3);
    for (const seen of await Promise.all(late)) expect(seen).toEqual(expected);
    await early.return();
  });

  test('ends the stream of a slow client and tells where to go on', async () => {
    const stream = await feed.subscribe(filter('prj_slow'));
    await commit('prj_slow', ['post_first']);
    const [first] = await take(stream, 1);
    const waiting = stream.next(); // now live
    await commit(
      'prj_slow',
      Array.from({ length: 1_200 }, (_, i) => `post_${i}`),
    );
    await waiting;
    await sleep(700); // the reader goes on, the client does not
    await expect(take(stream, 1_200)).rejects.toMatchObject({
      code: 'slow_consumer',
      options: { retryAfterS: 1 },
    });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    const again = await feed.subscribe({ ...filter('prj_slow'), after: first!.cursor });
    expect((await take(again, 1_200)).length).toBe(1_200);
    await again.return();
  });

  test('outlives the loss of every connection', async () => {
    const stream = await feed.subscribe(filter('prj_cut'));
    await commit('prj_cut', ['post_before']);
    await take(stream, 1);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(
      writers.connection.db,
    );
    for (let tries = 0; ; tries++) {
      try {
        await commit('prj_cut', ['post_after']);
        break;
      } catch (error) {
        if (tries === 20) throw error;
      }
    }
    expect(subjects(await take(stream, 1))).toEqual(['post_after']);
    await stream.return();
  });

  test('ends at once when told to, though nothing has come', async () => {
    const stream = await feed.subscribe(filter('prj_quiet'));
    const waiting = stream.next();
    await stream.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test.each([
    '',
    'x',
    '%%%',
    'YWJj',
    Buffer.from('a.1.-1').toString('base64url'),
    Buffer.from('a.1.9223372036854775808').toString('base64url'),
  ])('refuses %j as a cursor', async (after) => {
    await expect(feed.subscribe({ ...filter('prj_one'), after })).rejects.toMatchObject({
      code: 'validation_error',
      options: { issues: [{ path: 'after', code: 'invalid_cursor' }] },
    });
  });

  test('refuses a cursor from the future', async () => {
    const { epoch } = await readFeedHead(database.db);
    const after = Buffer.from(`${epoch}.99999999999.1`).toString('base64url');
    await expect(feed.subscribe({ ...filter('prj_one'), after })).rejects.toMatchObject({
      code: 'validation_error',
    });
  });

  test('says cursor_expired for another database, and for what is no longer kept', async () => {
    const foreign = Buffer.from('0123abcd.5.1').toString('base64url');
    await expect(feed.subscribe({ ...filter('prj_old'), after: foreign })).rejects.toMatchObject({
      code: 'cursor_expired',
    });

    const stream = await feed.subscribe(filter('prj_old'));
    await commit('prj_old', ['post_1']);
    const [item] = await take(stream, 1);
    await database.db
      .updateTable('changes')
      .set({ created_at: new Date(Date.now() - 1e9) })
      .where('project_id', '=', 'prj_old')
      .execute();
    await commit('prj_old', ['post_2']);
    await take(stream, 1);
    await stream.return();
    expect(await deleteChanges(database.db, new Date(Date.now() - 1e8))).toBeGreaterThan(0);
    await sleep(1_100); // an idle feed looks at its head by itself
    const expired = await feed
      .subscribe({ ...filter('prj_old'), after: item!.cursor })
      .catch((error: unknown) => error);
    expect(expired).toMatchObject({ code: 'cursor_expired' });
    const { oldest_cursor: oldest } = (
      expired as { options: { details: { oldest_cursor: string } } }
    ).options.details;
    const resumed = await feed.subscribe({ ...filter('prj_old'), after: oldest });
    expect(subjects(await take(resumed, 1))).toEqual(['post_2']);
    await resumed.return();
  });
});

describe('a stream that reads what it missed', () => {
  test('says cursor_expired when what it has yet to read is pruned', async () => {
    const stream = await feed.subscribe(filter('prj_late'));
    await commit('prj_late', ['post_1']);
    const [item] = await take(stream, 1);
    await commit('prj_late', ['post_2']);
    await take(stream, 1);
    await stream.return();
    await sleep(1_100); // an idle feed keeps no changes in memory
    const late = await feed.subscribe({ ...filter('prj_late'), after: item!.cursor });
    await database.db
      .updateTable('changes')
      .set({ created_at: new Date(Date.now() - 1e9) })
      .where('project_id', '=', 'prj_late')
      .execute();
    // Pruned only once no transaction of the server is older than it.
    await expect
      .poll(() => deleteChanges(database.db, new Date(Date.now() - 1e8)), { timeout: 10_000 })
      .toBeGreaterThan(0);
    await expect(late.next()).rejects.toMatchObject({ code: 'cursor_expired' });
  });
});

describe('close', () => {
  test('ends every stream with unavailable', async () => {
    const own = createTestFeed(database.db, listener);
    const stream = await own.subscribe(filter('prj_one'));
    const ended = expect(stream.next()).rejects.toMatchObject({ code: 'unavailable' });
    await own.close();
    await ended;
    await expect(own.subscribe(filter('prj_one'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});
