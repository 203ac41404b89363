// A stream that starts with the current state sends exactly the changes that this state lacks.
import { describe, expect, test } from 'vitest';
import type { Db } from '../../../schema/database/tables.ts';
import {
  changesOfPosts,
  createTestFeed,
  subjectIds,
  take,
  writePostChanges,
  useFeed,
} from '../../support/graphql/feed.ts';

const { database, writers, listener, feed } = useFeed();

/** The state that grows by one with each change: which posts a project has. */
const readState = (projectId: string) => async (db: Db) => {
  const rows = await db
    .selectFrom('changes')
    .select('subject_id')
    .where('project_id', '=', projectId)
    .execute();
  return rows.map((row) => row.subject_id);
};

const begin = (projectId: string) => feed.readPresent(readState(projectId));

describe('readPresent', () => {
  test('omits changes that the state includes, even if an older transaction holds them back', async () => {
    const older = await writers.hold((trx) => writePostChanges(trx, 'prj_held', ['post_late']));
    await writers.commit('prj_held', ['post_early']);
    const { cursor, state } = await begin('prj_held');
    expect(state).toEqual(['post_early']);
    const stream = await feed.subscribe({ ...changesOfPosts('prj_held'), after: cursor });
    await older.commit();
    await writers.commit('prj_held', ['post_last']);
    expect(subjectIds(await take(stream, 2))).toEqual(['post_late', 'post_last']);
    await stream.return();
  });

  test('gives cursors from which any process resumes the stream without the changes of the state', async () => {
    const older = await writers.hold((trx) => writePostChanges(trx, 'prj_again', ['post_1']));
    await writers.commit('prj_again', ['post_2']);
    const between = await writers.hold((trx) => writePostChanges(trx, 'prj_again', ['post_3']));
    await writers.commit('prj_again', ['post_4']);
    const { cursor, state } = await begin('prj_again');
    expect(state).toEqual(['post_2', 'post_4']);
    await older.commit();
    await between.commit();
    await writers.commit('prj_again', ['post_5']);

    const other = createTestFeed(database.db, listener);
    const seen: string[] = [];
    for (let after = cursor; seen.length < 3;) {
      const reader = seen.length % 2 === 0 ? other : feed;
      const stream = await reader.subscribe({ ...changesOfPosts('prj_again'), after });
      const [item] = await take(stream, 1);
      await stream.return();
      seen.push(item!.change!.subject_id);
      after = item!.cursor;
    }
    expect(seen).toEqual(['post_1', 'post_3', 'post_5']);
    await other.close();
  });

  test('shows every change once, in the state or in the stream after it, during many simultaneous changes', async () => {
    const total = 8 * 30;
    const watching: Promise<string[]>[] = [];
    const watch = async () => {
      const { cursor, state } = await begin('prj_storm');
      const stream = await feed.subscribe({ ...changesOfPosts('prj_storm'), after: cursor });
      const items = await take(stream, total - state.length);
      await stream.return();
      return [...state, ...subjectIds(items)];
    };
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; i < 30; i++) {
          if (writer === 0 && i % 2 === 0) watching.push(watch());
          const holdMs = Math.random() < 0.3 ? 40 : Math.random() * 4;
          await writers.commit('prj_storm', [`post_${writer}_${i}`], holdMs);
        }
      }),
    );
    const expected = (await readState('prj_storm')(database.db)).toSorted();
    expect(expected.length).toBe(total);
    for (const seen of await Promise.all(watching)) expect(seen.toSorted()).toEqual(expected);
  });
});

describe('the limit of a project', () => {
  test('refuses one stream too many, of that project only, until another ends', async () => {
    const small = createTestFeed(database.db, listener, { maxStreamsPerProject: 2 });
    const first = await small.subscribe(changesOfPosts('prj_full'));
    const second = await small.subscribe(changesOfPosts('prj_full', 'post_1'));
    await expect(small.subscribe(changesOfPosts('prj_full'))).rejects.toMatchObject({
      code: 'rate_limited',
      options: { details: { limit: 2 }, retryAfterS: 5 },
    });
    const others = await small.subscribe(changesOfPosts('prj_other'));
    await second.return();
    await second.return();
    const third = await small.subscribe(changesOfPosts('prj_full'));
    await expect(small.subscribe(changesOfPosts('prj_full'))).rejects.toThrow();
    await Promise.all([first, third, others].map((stream) => stream.return()));
    await small.close();
  });
});
