// Targets of channels while the project at Google has used up its quota, by the engine with its database.
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { advanceTarget } from '../../../../activities/publishing/advance-target.ts';
import { defaultTargetClock } from '../../../../schema/retry.ts';
import { forEachTest } from '../../../support/fixtures.ts';
import { toKind } from '../../../support/networks/contract/kind.ts';
import {
  advanceToEnd,
  dependenciesOf,
  listTargets,
  run,
  writePost,
} from '../../../support/networks/posting.ts';
import { startNetwork, youtube } from '../../../support/networks/youtube/subject.ts';
import { createYouTubeServer } from '../../../support/networks/youtube/server.ts';
import { useDatabase } from '../../../support/rows/database.ts';

const database = useDatabase();
const minuteMs = 60_000;

beforeEach(async () => {
  await database.db.deleteFrom('rate_limits').execute();
});

/** YouTube's clock says that it is 23:59 in California. */
const setUp = forEachTest(async () => {
  const { db } = database;
  const server = createYouTubeServer();
  const kind = toKind({ ...youtube, start: (switchboard) => startNetwork(switchboard, server) });
  const network = await kind.start(db);
  server.headers = { date: new Date('2026-11-01T06:59:00Z').toUTCString() };
  server.uploads.quota = 0;
  server.calls.length = 0;
  const dependencies = dependenciesOf(db, network, defaultTargetClock);
  const advance = (resultId: string) => advanceTarget(dependencies, { resultId, run });
  return { server, network, dependencies, advance };
});
afterEach(() => setUp.network[Symbol.asyncDispose]());

test('targets wait for midnight in California, and other targets of the app ask nothing', async () => {
  const { server, network, advance } = setUp;
  const [one, other] = [
    await writePost(database.db, network),
    await writePost(database.db, network),
  ];
  // Both use the app of the operator.
  await database.db.updateTable('grants').set({ app_id: null }).execute();
  for (const { resultIds } of [one, other]) {
    const { waitMs } = await advance(resultIds[0]!);
    // YouTube gets a minute more.
    expect(waitMs).toBeGreaterThan(minuteMs);
    expect(waitMs).toBeLessThanOrEqual(2 * minuteMs);
  }
  expect(server.calls).toEqual(['POST /upload/youtube/v3/videos']);
});

test('a target that must be sent by 23:59 and a second is not sent after it', async () => {
  const { server, network, dependencies, advance } = setUp;
  const post = await writePost(database.db, network);
  const [resultId] = post.resultIds;
  await database.db
    .updateTable('posts')
    .set({ publish_by: sql<Date>`now() + interval '1 s'` })
    .where('id', '=', post.postId)
    .execute();
  const { waitMs } = await advance(resultId!);
  expect(waitMs).toBeLessThanOrEqual(1_000);
  server.uploads.quota = 100;
  await advanceToEnd(dependencies, resultId!);
  const [row] = await listTargets(database.db, post);
  expect(row).toMatchObject({
    status: 'failed',
    error_code: 'deadline_passed',
    error_message:
      'The deadline passed before the post could be sent. The target waited for the quota of its account or app.',
  });
  expect(server.calls).toEqual(['POST /upload/youtube/v3/videos']);
  expect(server.videos).toEqual([]);
});
