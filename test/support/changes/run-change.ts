// Publishes a post to a network of the test, and changes its targets as the workflow does but without its timers.
import { setTimeout as sleep } from 'node:timers/promises';
import { advanceChange } from '../../../activities/changes/advance-change.ts';
import type { ChangeDependencies } from '../../../activities/changes/dependencies.ts';
import { concludePost } from '../../../activities/publishing/conclude-post.ts';
import { createCallHeartbeats } from '../../../activities/publishing/call-ownership.ts';
import { lockPostAfterResults } from '../../../schema/database/posts/changes.ts';
import { heartbeatsOfChanges } from '../../../schema/database/posts/call-heartbeats.ts';
import { insertChange } from '../../../schema/database/posts/after-publishing/result-changes.ts';
import type { Db, PostResultRow, ResultChangeRow } from '../../../schema/database/tables.ts';
import type { ChangedContent, ChangeType } from '../../../schema/posts/result-changes.ts';
import type { TargetClock } from '../../../schema/retry.ts';
import type { SimulatedNetwork } from '../networks/network.ts';
import {
  advanceToEnd,
  dependenciesOf,
  run,
  shortClock,
  writePost,
  type Shape,
  type TestPost,
} from '../networks/posting.ts';
import { inQuietTransaction } from '../rows/quiet-transaction.ts';

export function changeDependencies(
  db: Db,
  network: Pick<SimulatedNetwork, 'platform'>,
  clock: TargetClock = shortClock,
): ChangeDependencies {
  const changeHeartbeats = createCallHeartbeats(heartbeatsOfChanges(db), clock);
  return { ...dependenciesOf(db, network, clock), changeHeartbeats };
}

/** The post as its run leaves it. */
export async function publishPost(
  db: Db,
  network: SimulatedNetwork,
  shape: Shape = 'single',
): Promise<TestPost> {
  const dependencies = dependenciesOf(db, network);
  const post = await writePost(db, network, shape);
  for (const id of post.resultIds) await advanceToEnd(dependencies, id);
  await concludePost(dependencies, { postId: post.postId, run });
  return post;
}

/** Requests a change as the API does, without its checks. Returns the ID of the change. */
export function requestChange(
  db: Db,
  { projectId, postId }: TestPost,
  resultId: string,
  type: ChangeType,
  content: ChangedContent | null = null,
): Promise<string> {
  return inQuietTransaction(db, async (trx) => {
    await lockPostAfterResults(trx, postId);
    return insertChange(trx, { id: resultId, project_id: projectId }, type, { content });
  });
}

/** Waits when the activity asks for it, but only for a short time. */
export async function changeToEnd(
  dependencies: ChangeDependencies,
  changeId: string,
): Promise<ResultChangeRow> {
  for (let i = 0; i < 300; i++) {
    const waitMs = await advanceChange(dependencies, { changeId });
    if (waitMs === null) return readChange(dependencies.db, changeId);
    await sleep(Math.min(waitMs, 5));
  }
  throw new Error('The change does not end.');
}

export function readChange(db: Db, changeId: string): Promise<ResultChangeRow> {
  return db
    .selectFrom('result_changes')
    .selectAll()
    .where('id', '=', changeId)
    .executeTakeFirstOrThrow();
}

export function readResult(db: Db, resultId: string): Promise<PostResultRow> {
  return db
    .selectFrom('post_results')
    .selectAll()
    .where('id', '=', resultId)
    .executeTakeFirstOrThrow();
}
