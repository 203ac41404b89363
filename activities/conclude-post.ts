// Ends a run: the post's status, the outcome event and its deliveries, in one transaction.
import { insertChanges } from '../schema/database/changes.ts';
import type { Db, PostResultRow } from '../schema/database/database.ts';
import type { Doorbell } from '../schema/database/doorbell.ts';
import { recordEvent } from '../schema/database/events.ts';
import { listResults, lockPost } from '../schema/database/posts.ts';
import { toPostEventData } from '../schema/database/post-event.ts';
import type { PostStatus } from '../schema/posts.ts';
import type { PublishPostInput } from '../schema/workflows.ts';

interface ConcludeDependencies {
  db: Db;
  doorbell: Doorbell;
  previewEvents: boolean;
}

/** Harmless to repeat: a run is concluded once. */
export async function concludePost(
  { db, doorbell, previewEvents }: ConcludeDependencies,
  { postId, run }: PublishPostInput,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const post = await lockPost(trx, postId);
    if (!post || post.current_run !== run || post.concluded_run >= run) return;
    const results = await listResults(trx, [postId]);
    const outcome = outcomeOf(results);
    if (!outcome) return;
    const now = new Date();
    const publishedAt =
      outcome === 'published' || outcome === 'partial' ? (post.published_at ?? now) : null;
    const concluded = { status: outcome, published_at: publishedAt };
    await trx
      .updateTable('posts')
      .set({ ...concluded, concluded_run: run, progressed_at: now })
      .where('id', '=', postId)
      .execute();
    await insertChanges(trx, [
      { project_id: post.project_id, subject: 'post', subject_id: postId, kind: outcome },
    ]);
    if (outcome === 'canceled') return;
    const data = toPostEventData({ ...post, ...concluded }, results);
    const kind = `post.${outcome}` as const;
    await recordEvent(trx, { projectId: post.project_id, kind, data, postId }, { previewEvents });
  });
  doorbell.ring('fanfare_changes');
  doorbell.ring('fanfare_deliveries');
}

type Outcome = Extract<PostStatus, 'published' | 'partial' | 'failed' | 'canceled'>;

/** Over the targets that were not canceled; undefined while one is still on its way. */
function outcomeOf(results: PostResultRow[]): Outcome | undefined {
  const kept = results.filter((result) => result.status !== 'canceled');
  if (kept.length === 0) return 'canceled';
  const published = kept.filter((result) => result.status === 'published').length;
  const failed = kept.filter((result) => result.status === 'failed').length;
  if (published + failed < kept.length) return undefined;
  if (failed === 0) return 'published';
  return published === 0 ? 'failed' : 'partial';
}
