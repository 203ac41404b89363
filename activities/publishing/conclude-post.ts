// Ends a run: writes the post's status, the outcome event and its deliveries in one transaction.
import { executePrepared } from '../../schema/database/prepared.ts';
import type { PostResultRow, PostRow, Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { isOpen } from '../../schema/database/posts/targets.ts';
import { lockPost, setConcluded } from '../../schema/database/posts/posts.ts';
import { toPostEventData } from '../../schema/database/posts/outcome-event.ts';
import type { PostStatus } from '../../schema/posts/posts.ts';
import type { PublishPostInput } from '../../schema/workflows.ts';
import { giveBackUsage } from '../../schema/database/accounts/usage.ts';
import { cancelResults } from '../../schema/database/posts/changes.ts';
import type { AdvanceDependencies } from './dependencies.ts';

/** How a run ended. */
export interface Concluded {
  projectId: string;
  status: Outcome;
  results: PostResultRow[];
}

/**
 * May be called repeatedly. A run is concluded only once, and only the call that concludes it returns
 * something.
 */
export async function concludePost(
  { db, notifier, previewEvents }: Pick<AdvanceDependencies, 'db' | 'notifier' | 'previewEvents'>,
  { postId, run }: PublishPostInput,
): Promise<Concluded | undefined> {
  return inTransaction(db, notifier, async (trx) => {
    const post = await lockPost(trx, postId);
    return post?.current_run === run ? concludeRun(trx, post, { previewEvents }) : undefined;
  });
}

/**
 * Ends the current run of a post that `trx` has locked, once all of its targets and comments have ended.
 * Does nothing for a run that has ended.
 */
async function concludeRun(
  trx: Transaction,
  post: PostRow,
  { previewEvents }: { previewEvents: boolean },
): Promise<Concluded | undefined> {
  if (post.concluded_run >= post.current_run) return undefined;
  const ofPost = trx
    .selectFrom('post_results')
    .selectAll()
    .where('post_id', '=', post.id)
    .orderBy('position');
  const rows = await executePrepared(trx, 'list_results_to_conclude', ofPost);
  if (rows.some(({ status }) => isOpen(status))) return undefined;
  const results = rows.filter((row) => row.kind === 'post');
  const outcome = outcomeOf(results);
  const isPublic = outcome === 'published' || outcome === 'partial';
  const published_at = isPublic ? (post.published_at ?? lastPublishedAt(results)) : null;
  const concluded = { status: outcome, published_at };
  const written = await setConcluded(trx, post, concluded);
  const end = { projectId: post.project_id, status: outcome, results };
  if (outcome === 'canceled') return end;
  const data = toPostEventData({ ...post, ...concluded, ...written }, rows);
  const event = {
    projectId: post.project_id,
    environment: post.environment,
    type: `post.${outcome}`,
    data,
    postId: post.id,
  } as const;
  await recordEvent(trx, event, { previewEvents });
  return end;
}

/** Uses the time of Postgres' clock, since the clock of this process may be wrong. */
function lastPublishedAt(results: PostResultRow[]): Date {
  return new Date(Math.max(...results.map((result) => result.published_at?.getTime() ?? 0)));
}

type Outcome = Extract<PostStatus, 'published' | 'partial' | 'failed' | 'canceled'>;

/** Ignores canceled targets. */
function outcomeOf(results: PostResultRow[]): Outcome {
  const kept = results.filter((result) => result.status !== 'canceled');
  if (kept.length === 0) return 'canceled';
  const published = kept.filter((result) => result.status === 'published').length;
  if (published === kept.length) return 'published';
  return published === 0 ? 'failed' : 'partial';
}

/**
 * Cancels the targets of a pending post that can still be stopped, and ends the run if no other target is
 * open. `trx` has locked the post and its results. Returns the ids of the canceled results.
 */
export async function stopTargets(
  trx: Transaction,
  post: PostRow,
  options: { previewEvents: boolean },
): Promise<string[]> {
  const stopped = await cancelResults(trx, post.project_id, post.id);
  if (stopped.length === 0) return stopped;
  await giveBackUsage(trx, post.project_id, stopped);
  await concludeRun(trx, post, options);
  return stopped;
}
