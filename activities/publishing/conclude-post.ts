// Ends a run: writes the post's status, the outcome event and its deliveries in one transaction.
import type { Actor } from '../../schema/wire/actors.ts';
import { executePrepared, wholeTables } from '../../schema/database/prepared.ts';
import { sql } from 'kysely';
import type { Notifier } from '../../schema/database/notifier.ts';
import type { Db, PostResultRow, PostRow, Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { isOpen } from '../../schema/database/posts/targets.ts';
import { lockFreePosts, lockPost, setConcluded } from '../../schema/database/posts/posts.ts';
import { toPostEventData } from '../../schema/database/posts/outcome-event.ts';
import type { PostStatus, ResultStatus } from '../../schema/posts/posts.ts';
import type { PublishPostInput } from '../../schema/workflows.ts';
import { giveBackUsage } from '../../schema/database/accounts/usage.ts';
import { cancelResults } from '../../schema/database/posts/changes.ts';

/** How a run ended. */
export interface Concluded {
  projectId: string;
  status: Outcome;
  results: PostResultRow[];
}

export interface ConcludeDependencies {
  db: Db;
  notifier: Notifier;
  previewEvents: boolean;
}

/**
 * Callers may repeat this. A run is concluded only once, and only the call that concludes it returns something.
 */
export async function concludePost(
  { db, notifier, previewEvents }: ConcludeDependencies,
  { postId, run }: PublishPostInput,
): Promise<Concluded | undefined> {
  return inTransaction(db, notifier, async (trx) => {
    const post = await lockPost(trx, postId);
    if (post?.current_run !== run) return undefined;
    const results = await listResultsToConclude(trx, [post]);
    return concludeRun(trx, post, results.get(postId) ?? [], { previewEvents });
  });
}

/** `concludePost` for many posts, in one transaction. Leaves locked posts alone. */
export async function concludeFreePosts(
  { db, notifier, previewEvents }: ConcludeDependencies,
  inputs: readonly PublishPostInput[],
): Promise<(Concluded | undefined | 'locked')[]> {
  return inTransaction(db, notifier, async (trx) => {
    const posts = await lockFreePosts(
      trx,
      inputs.map(({ postId }) => postId),
    );
    const free = new Map(posts.map((post) => [post.id, post]));
    const results = await listResultsToConclude(trx, posts);
    const ends: (Concluded | undefined | 'locked')[] = [];
    for (const { postId, run } of inputs) {
      const post = free.get(postId);
      if (!post) ends.push('locked');
      else if (post.current_run !== run) ends.push(undefined);
      else {
        // A second request for the post is written alone, after this transaction.
        free.delete(postId);
        ends.push(await concludeRun(trx, post, results.get(postId) ?? [], { previewEvents }));
      }
    }
    return ends;
  });
}

/** The results of each post, in the order of its targets. Leaves out posts whose run has ended. */
async function listResultsToConclude(
  trx: Transaction,
  posts: readonly PostRow[],
): Promise<Map<string, PostResultRow[]>> {
  const ids = posts.filter((post) => !isConcluded(post)).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const ofPosts = trx
    .selectFrom('post_results')
    .select(wholeTables.post_results)
    .where('post_id', '=', sql<string>`any(${ids}::text[])`)
    .orderBy('post_id')
    .orderBy('position');
  const rows = await executePrepared(trx, 'list_results_to_conclude', ofPosts);
  return Map.groupBy(rows, ({ post_id }) => post_id);
}

interface ConcludeOptions {
  previewEvents: boolean;
  /** Who ends the run. Null: Fanfare itself. */
  actor?: Actor | null;
}

const isConcluded = (post: PostRow) => post.concluded_run >= post.current_run;

/**
 * Ends the current run of a post that `trx` has locked, once all of its targets and comments have ended.
 * Does nothing for a run that has ended.
 */
async function concludeRun(
  trx: Transaction,
  post: PostRow,
  rows: PostResultRow[],
  { previewEvents, actor = null }: ConcludeOptions,
): Promise<Concluded | undefined> {
  if (isConcluded(post)) return undefined;
  if (rows.some(({ status }) => isOpen(status))) return undefined;
  const results = rows.filter((row) => row.kind === 'post');
  const outcome = outcomeOf(results);
  const isPublic = outcome === 'published' || outcome === 'partial';
  const published_at = isPublic ? (post.published_at ?? lastPublishedAt(results)) : null;
  const concluded = { status: outcome, published_at };
  const written = await setConcluded(trx, post, { ...concluded, actor });
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

/** A removal after the publication doesn't change the outcome of the post. */
const wasPublished = (status: ResultStatus) => status === 'published' || status === 'unpublished';

/** Ignores canceled targets. */
function outcomeOf(results: PostResultRow[]): Outcome {
  const kept = results.filter((result) => result.status !== 'canceled');
  if (kept.length === 0) return 'canceled';
  const published = kept.filter(({ status }) => wasPublished(status)).length;
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
  options: ConcludeOptions,
): Promise<string[]> {
  const stopped = await cancelResults(trx, post.project_id, post.id);
  if (stopped.length === 0) return stopped;
  await giveBackUsage(trx, post.project_id, stopped);
  const results = await listResultsToConclude(trx, [post]);
  await concludeRun(trx, post, results.get(post.id) ?? [], options);
  return stopped;
}
