// A post that is paused for a week between its preparation and its publication: what was prepared has expired.
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deletePause, insertPause } from '../../../schema/database/pauses.ts';
import type { NetworkSubject } from '../../support/networks/contract/subject.ts';
import { toKind } from '../../support/networks/contract/kind.ts';
import { facebookWithImage } from '../../support/networks/facebook/subject.ts';
import { instagramWithCarousel } from '../../support/networks/instagram/subject.ts';
import type { SimulatedNetwork } from '../../support/networks/network.ts';
import { expectConsistent } from '../../support/networks/consistency.ts';
import {
  advanceToEnd,
  dependenciesOf,
  listTargets,
  writePost,
  type TestPost,
} from '../../support/networks/posting.ts';
import { threadsWithImage } from '../../support/networks/threads/subject.ts';
import { useDatabase } from '../../support/rows/database.ts';

const weekMs = 7 * 24 * 3_600_000;

const database = useDatabase();
// In the past: IDs that this process makes never go back, so a week ahead would stay in those of later tests.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - weekMs }));
afterEach(() => void vi.useRealTimers());

/** Pauses the post as soon as it is prepared, and goes on now, a week later. */
async function pauseForWeek(
  subject: NetworkSubject,
  network: SimulatedNetwork,
  beforeResume: (post: TestPost) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const { db } = database;
  const dependencies = dependenciesOf(db, network);
  const post = await writePost(db, network);
  const [resultId] = post.resultIds as [string];
  network.switchboard.onCall = async (moment, stage, call) => {
    const isLast = stage === 'prepare' && call === subject.calls.prepare;
    if (isLast && moment === 'after') await insertPause(db, post.projectId);
  };
  await advanceToEnd(dependencies, resultId);
  expect(await listTargets(db, post)).toMatchObject([{ phase: 'commit', is_paused: true }]);

  vi.useRealTimers();
  await beforeResume(post);
  await deletePause(db, post.projectId);
  await advanceToEnd(dependencies, resultId);
  await expectConsistent(dependencies, network, post);
}

describe.each([facebookWithImage, instagramWithCarousel, threadsWithImage])('$title', (subject) => {
  test('is prepared once more, and published once', async () => {
    await using network = await toKind(subject).start(database.db);
    await pauseForWeek(subject, network);
    expect(await network.listPosts()).toHaveLength(1);
    expect(network.switchboard.count('prepare')).toBe(2 * subject.calls.prepare!);
  });

  test('is never sent after its deadline', async () => {
    await using network = await toKind(subject).start(database.db);
    await pauseForWeek(subject, network, ({ postId }) =>
      database.db
        .updateTable('posts')
        .set({ publish_by: sql<Date>`now() - interval '1 s'` })
        .where('id', '=', postId)
        .execute(),
    );
    expect(await network.listPosts()).toEqual([]);
    expect(network.switchboard.count('commit')).toBe(0);
  });
});
