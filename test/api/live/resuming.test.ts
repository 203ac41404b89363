// Streams that resume after a cursor: every change once and in order, or a clear error.
import { describe, expect, test } from 'vitest';
import { deleteChanges, readChanges, readFeedHead } from '../../../schema/database/live/changes.ts';
import {
  changesOfPosts as filter,
  subjectIds as subjects,
  take,
  type Writers,
  useFeed,
} from '../../support/graphql/feed.ts';

const { database, writers, feed, waitUntilIdle } = useFeed();

const commit: Writers['commit'] = (...change) => writers.commit(...change);

describe('a stream after a cursor', () => {
  test('continues after a cursor without a gap or a duplicate', async () => {
    const ids = Array.from({ length: 700 }, (_, i) => `post_${i}`);
    const first = await feed.subscribe(filter('prj_resume'));
    await commit('prj_resume', ids);
    const items = await take(first, 700);
    expect(subjects(items)).toEqual(ids);
    await first.return();
    await waitUntilIdle(); // The rest comes from the table.
    const second = await feed.subscribe({ ...filter('prj_resume'), after: items[99]!.cursor });
    expect(subjects(await take(second, 600))).toEqual(ids.slice(100));
    await commit('prj_resume', ['post_more']);
    expect(subjects(await take(second, 1))).toEqual(['post_more']);
    await second.return();
  });

  test('keeps every stream complete and in the same order, even if transactions commit late', async () => {
    const projectId = 'prj_storm';
    const written: string[] = [];
    const { cursor: from } = await feed.readPresent(() => Promise.resolve());
    const early = await feed.subscribe(filter(projectId));
    const total = 10 * 40 * 3;
    const late: Promise<string[]>[] = [];
    async function join(): Promise<string[]> {
      const stream = await feed.subscribe({ ...filter(projectId), after: from });
      const seen = subjects(await take(stream, total));
      await stream.return();
      return seen;
    }
    const writing = Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let i = 0; i < 40; i++) {
          if (writer === 0 && i % 2 === 0) late.push(join());
          const ids = [0, 1, 2].map((n) => `post_${writer}_${i}_${n}`);
          written.push(...ids);
          await commit(projectId, ids, Math.random() < 0.2 ? 60 : Math.random() * 4);
        }
      }),
    );

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

    const [order, hopped] = await Promise.all([take(early, total), hopping(), writing]);
    const expected = subjects(order);
    expect(new Set(expected)).toEqual(new Set(written));
    expect(expected.length).toBe(total);
    expect(hopped).toEqual(expected);
    for (const seen of await Promise.all(late)) expect(seen).toEqual(expected);
    await early.return();
  });
});

describe('a cursor', () => {
  test.each([
    '',
    'x',
    '%%%',
    'YWJj',
    Buffer.from('a.1.-1').toString('base64url'),
    Buffer.from('a.1.9223372036854775808').toString('base64url'),
  ])('is refused if it is %j', async (after) => {
    await expect(feed.subscribe({ ...filter('prj_one'), after })).rejects.toMatchObject({
      code: 'validation_error',
      options: { issues: [{ path: ['after'], code: 'invalid_cursor' }] },
    });
  });

  test('has expired if it is newer than the database', async () => {
    const { epoch, horizon, next } = await readFeedHead(database.db);
    const running = `${horizon}.0.${horizon}:${next + 1_000n}:`;
    for (const place of ['99999999999.1', running]) {
      const after = Buffer.from(`${epoch}.${place}`).toString('base64url');
      await expect(feed.subscribe({ ...filter('prj_one'), after })).rejects.toMatchObject({
        code: 'cursor_expired',
        options: { details: { oldest_cursor: expect.any(String) } },
      });
    }
  });

  test.each([
    ['that ends before it begins', (at: bigint) => `${at}:${at - 1n}:`],
    ['whose transactions are none of its own', (at: bigint) => `${at - 9n}:${at}:${at - 10n}`],
    ['that begins after the position of the cursor', (at: bigint) => `${at + 1n}:${at + 1n}:`],
    ['that names a transaction twice', (at: bigint) => `${at - 9n}:${at}:${at - 3n},${at - 3n}`],
    [
      'of more transactions than a server runs',
      (at: bigint) =>
        `${at - 5_000n}:${at}:${Array.from({ length: 1_001 }, (_, i) => at - 5_000n + BigInt(i)).join()}`,
    ],
  ])('is refused if it has a snapshot %s', async (_, snapshot) => {
    const { epoch, horizon } = await readFeedHead(database.db);
    const text = `${epoch}.${horizon}.0.${snapshot(horizon)}`;
    const after = Buffer.from(text).toString('base64url');
    await expect(feed.subscribe({ ...filter('prj_one'), after })).rejects.toMatchObject({
      code: 'validation_error',
      options: { issues: [{ path: ['after'], code: 'invalid_cursor' }] },
    });
  });

  test('has expired if it is of another database or of pruned changes', async () => {
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
    await waitUntilIdle(); // It knows by then what was pruned.
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

describe('a stream that reads missed changes', () => {
  test('walks past the changes of other projects without reading them', async () => {
    const { horizon } = await readFeedHead(database.db);
    const ids = Array.from({ length: 300 }, (_, i) => `post_${i}`);
    await commit('prj_loud', ids);
    await commit('prj_soft', ['post_1']);
    const start = { xid: horizon, id: 0n };
    await expect
      .poll(() => readChanges(database.db, start, 10, filter('prj_soft')))
      .toMatchObject({ changes: [{ subject_id: 'post_1' }], isLast: true });
  });

  test('returns cursor_expired when changes that it has yet to read are pruned', async () => {
    const stream = await feed.subscribe(filter('prj_late'));
    await commit('prj_late', ['post_1']);
    const [item] = await take(stream, 1);
    await commit('prj_late', ['post_2']);
    await take(stream, 1);
    await stream.return();
    await waitUntilIdle();
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
