// The live feed: every change once and in order, despite late commits and for streams that start at any time.
import { sql, type KyselyPlugin } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Feed } from '../../../api/live/feed.ts';
import type { FeedStream } from '../../../api/live/subscriber.ts';
import { insertRestore } from '../../../schema/database/dispatch/restores.ts';
import { newId } from '../../../schema/wire/ids.ts';
import {
  changesOfPosts as filter,
  createTestFeed,
  subjectIds as subjects,
  take,
  writePostChanges,
  type Writers,
  useFeed,
} from '../../support/graphql/feed.ts';

const { database, writers, listener, feed } = useFeed();

const commit: Writers['commit'] = (...change) => writers.commit(...change);

/** The cursor of the next bookmark, after a change that the stream is not about. */
async function bookmarkOf(stream: FeedStream): Promise<string> {
  const next = stream.next();
  await commit('prj_busy', ['post_x']);
  const { value } = await next;
  expect(value!.change).toBeNull();
  return value!.cursor;
}

/** Resolves once the reader of the feed has passed everything that was committed before. */
async function waitForReader({ subscribe }: Feed): Promise<void> {
  const projectId = newId('project');
  const behind = await subscribe(filter(projectId));
  await commit(projectId, ['post_1']);
  await take(behind, 1);
  await behind.return();
}

async function takeUntil(stream: FeedStream, id: string): Promise<void> {
  for (let seen = ''; seen !== id;) seen = (await stream.next()).value!.change!.subject_id;
}

async function countListeners(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and application_name = 'fanfare listener'`.execute(
    database.db,
  );
  return rows.length;
}

describe('subscribe', () => {
  test('sends only changes committed after it began, of its project, subject and id', async () => {
    const all = await feed.subscribe(filter('prj_one'));
    const one = await feed.subscribe(filter('prj_one', 'post_b'));
    await commit('prj_two', ['post_x']);
    await commit('prj_one', ['post_a', 'post_b', 'post_c']);
    expect(subjects(await take(all, 3))).toEqual(['post_a', 'post_b', 'post_c']);
    expect(subjects(await take(one, 1))).toEqual(['post_b']);
    await Promise.all([all.return(), one.return()]);
  });

  test('misses nothing that is committed while it begins, even if nobody listened before', async () => {
    for (let i = 0; i < 20; i++) {
      const subscribing = feed.subscribe(filter(`prj_race${i}`));
      const committing = commit(`prj_race${i}`, ['post_a']);
      const stream = await subscribing;
      await committing;
      expect(subjects(await take(stream, 1))).toEqual(['post_a']);
      await stream.return();
    }
  });

  test('ends the stream of a slow client with a cursor to resume from', async () => {
    const stream = await feed.subscribe(filter('prj_slow'));
    await commit('prj_slow', ['post_first']);
    const [first] = await take(stream, 1);
    const waiting = stream.next(); // now live
    await commit(
      'prj_slow',
      Array.from({ length: 1_200 }, (_, i) => `post_${i}`),
    );
    await waiting;
    await waitForReader(feed);
    await expect(take(stream, 1_200)).rejects.toMatchObject({
      code: 'slow_consumer',
      options: { retryAfterS: 1 },
    });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    const again = await feed.subscribe({ ...filter('prj_slow'), after: first!.cursor });
    expect((await take(again, 1_200)).length).toBe(1_200);
    await again.return();
  });

  test('counts a stream until its client knows why it ended', async () => {
    const small = createTestFeed(database.db, listener, { maxStreamsPerProject: 1 });
    const stream = await small.subscribe(filter('prj_place'));
    const waiting = stream.next();
    await commit(
      'prj_place',
      Array.from({ length: 1_200 }, (_, i) => `post_${i}`),
    );
    await waiting;
    await waitForReader(small);
    const subscribing = () => small.subscribe(filter('prj_place'));
    await expect(subscribing()).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(stream.next()).rejects.toMatchObject({ code: 'slow_consumer' });
    await (await subscribing()).return();
    await small.close();
  });

  test('sends bookmarks to a stream without changes', async () => {
    const often = createTestFeed(database.db, listener, { bookmarkEveryMs: 50 });
    const stream = await often.subscribe(filter('prj_still'));
    const before = await bookmarkOf(stream);
    await commit('prj_still', ['post_1']);
    let item = await stream.next();
    while (!item.value!.change) item = await stream.next();
    expect(item.value!.change.subject_id).toBe('post_1');
    const behind = await bookmarkOf(stream);
    // It names a change that is on disk: other ids may be given again after a crash.
    const named = /\.(\d+)\.9223372036854775807$/.exec(Buffer.from(behind, 'base64url').toString());
    const { rows } = await sql`select from changes where xid = ${named![1]}::xid8`.execute(
      database.db,
    );
    expect(rows.length).toBeGreaterThan(0);
    await often.close();

    await commit('prj_still', ['post_2']);
    const all = await feed.subscribe({ ...filter('prj_still'), after: before });
    expect(subjects(await take(all, 2))).toEqual(['post_1', 'post_2']);
    const rest = await feed.subscribe({ ...filter('prj_still'), after: behind });
    expect(subjects(await take(rest, 1))).toEqual(['post_2']);
    await Promise.all([all.return(), rest.return()]);
  });

  test('checks ever less often for changes that a slow transaction holds back, and sends them soon after its end', async () => {
    const readAtMs: number[] = [];
    const record: KyselyPlugin = {
      transformQuery: ({ node }) => (readAtMs.push(performance.now()), node),
      transformResult: ({ result }) => Promise.resolve(result),
    };
    const counting = createTestFeed(database.db.withPlugin(record), listener);
    const stream = await counting.subscribe(filter('prj_held'));
    const next = stream.next();
    const slow = await writers.hold((trx) => writePostChanges(trx, 'prj_held', ['post_1']));
    await commit('prj_held', ['post_2']);
    readAtMs.length = 0;
    const countLongWaits = () =>
      readAtMs.filter((atMs, i) => atMs - (readAtMs[i - 1] ?? atMs) > 200).length;
    await expect.poll(countLongWaits).toBeGreaterThan(1);
    expect(readAtMs.length).toBeLessThan(40);
    await slow.commit();
    const { value } = await next;
    expect(value!.change!.subject_id).toBe('post_1');
    await counting.close();
  });

  test('ends with cursor_expired when the database was restored, and can begin again', async () => {
    const stream = await feed.subscribe(filter('prj_epoch'));
    const broken = expect(stream.next()).rejects.toMatchObject({ code: 'cursor_expired' });
    await insertRestore(database.db);
    await commit('prj_epoch', ['post_1']);
    await broken;
    const again = await feed.subscribe(filter('prj_epoch'));
    await commit('prj_epoch', ['post_2']);
    // It may begin before the first one, which its reader need not have come to yet.
    const [first] = subjects(await take(again, 1));
    if (first === 'post_1') expect(subjects(await take(again, 1))).toEqual(['post_2']);
    else expect(first).toBe('post_2');
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

  test('continues after only the listening connection is lost', async () => {
    const stream = await feed.subscribe(filter('prj_deaf'));
    for (let i = 0; i < 5; i++) {
      const next = stream.next();
      // Returns once it is gone.
      await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
        where datname = current_database() and application_name = 'fanfare listener'`.execute(
        database.db,
      );
      const others = await Promise.all([1, 2, 3].map(() => feed.subscribe(filter('prj_deaf'))));
      await commit('prj_deaf', [`post_${i}`]);
      expect((await next).value!.change!.subject_id).toBe(`post_${i}`);
      // A stream may begin shortly before, at what the reader has read again.
      await Promise.all(others.map((other) => takeUntil(other, `post_${i}`)));
      await Promise.all(others.map((other) => other.return()));
      await expect.poll(countListeners).toBe(1);
    }
    await stream.return();
  });

  test('ends at once when closed, even if no message has come', async () => {
    const stream = await feed.subscribe(filter('prj_quiet'));
    const waiting = stream.next();
    await stream.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
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
