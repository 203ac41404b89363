// Ends a run: the post's status, the outcome event and its deliveries, in one transaction.
import { sql } from 'kysely';
import type { Db, PostResultRow, PostRow, Transaction } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/live/notifier.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { isOpen } from '../../schema/database/posts/open-results.ts';
import { lockPost, setConcluded } from '../../schema/database/posts/posts.ts';
import { toPostEventData } from '../../schema/database/posts/outcome-event.ts';
import type { PostStatus } from '../../schema/posts/posts.ts';
import type { PublishPostInput } from '../../schema/workflows.ts';

interface ConcludeDependencies {
  db: Db;
  notifier: Notifier;
  previewEvents: boolean;
}

/** Harmless to repeat: a run is concluded once. */
export async function concludePost(
  { db, notifier, previewEvents }: ConcludeDependencies,
  { postId, run }: PublishPostInput,
): Promise<void> {
  const isConcluded = await db.transaction().execute(async (trx) => {
    const post = await lockPost(trx, postId);
    if (post?.current_run !== run) return false;
    return (await concludeRun(trx, post, { previewEvents })) !== undefined;
  });
  if (!isConcluded) return;
  notifier.notify('fanfare_changes');
  notifier.notify('fanfare_deliveries');
}

/**
 * Ends the current run of a post that is locked by `trx`, when it has not ended yet and no target and
 * no comment is on its way any more. Returns the outcome; notify `fanfare_changes` and
 * `fanfare_deliveries` after the commit.
 */
export async function concludeRun(
  trx: Transaction,
  post: PostRow,
  { previewEvents }: { previewEvents: boolean },
): Promise<Outcome | undefined> {
  if (post.concluded_run >= post.current_run) return undefined;
  const rows = await trx
    .selectFrom('post_results')
    .modifyFront(sql.raw('/* prepared: list_results_to_conclude */'))
    .selectAll()
    .where('post_id', '=', post.id)
    .orderBy('position')
    .execute();
  if (rows.some(({ status }) => isOpen(status))) return undefined;
  const results = rows.filter((row) => row.kind === 'post');
  const outcome = outcomeOf(results);
  const isPublic = outcome === 'published' || outcome === 'partial';
  const published_at = isPublic ? (post.published_at ?? lastPublishedAt(results)) : null;
  const concluded = { status: outcome, published_at };
  await setConcluded(trx, post, concluded);
  if (outcome === 'canceled') return outcome;
  const data = toPostEventData({ ...post, ...concluded }, results);
  const event = {
    projectId: post.project_id,
    environment: post.environment,
    kind: `post.${outcome}`,
    data,
    postId: post.id,
  } as const;
  await recordEvent(trx, event, { previewEvents });
  return outcome;
}

/** As Postgres has it: the clock of this process may be wrong. */
function lastPublishedAt(results: PostResultRow[]): Date {
  return new Date(Math.max(...results.map((result) => result.published_at?.getTime() ?? 0)));
}

type Outcome = Extract<PostStatus, 'published' | 'partial' | 'failed' | 'canceled'>;

/** Over the targets that were not canceled. */
function outcomeOf(results: PostResultRow[]): Outcome {
  const kept = results.filter((result) => result.status !== 'canceled');
  if (kept.length === 0) return 'canceled';
  const published = kept.filter((result) => result.status === 'published').length;
  if (published === kept.length) return 'published';
  return published === 0 ? 'failed' : 'partial';
}
