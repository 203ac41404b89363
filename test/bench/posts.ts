// Commits posts the way operations do, and waits until all of them have concluded.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { toResultRows } from '../../api/posts/result-rows.ts';
import { newId } from '../../schema/wire/ids.ts';
import { listAccountsById } from '../../schema/database/accounts/accounts.ts';
import { publishPostRow } from '../../schema/database/outbox.ts';
import { insertPost } from '../../schema/database/posts/insert-post.ts';
import type { Installation } from './installation.ts';
import { inQuietTransaction } from '../support/rows/quiet-transaction.ts';

const caption = 'Out now, on every network at once.';

export interface PostsToCommit {
  count: number;
  /** Targets of each post, each at another account. */
  targets: number;
  accountIds: readonly string[];
  /** Null: at once. */
  scheduledAt: Date | null;
  /** Media of each post, uploaded before. */
  mediaId?: string;
}

/**
 * Inserts all posts in one transaction, so that inserting them takes no CPU time from the program. Posts with media
 * are created through the API. So are posts of another checkout, whose tables may differ. Returns the IDs of the
 * posts.
 */
export async function commitPosts(
  installation: Installation,
  posts: PostsToCommit,
): Promise<string[]> {
  const isOther = process.env['BENCH_PROGRAM'] !== undefined;
  return isOther || posts.mediaId !== undefined
    ? createPosts(installation, posts)
    : insertPosts(installation, posts);
}

async function insertPosts(
  { db, notifier, projectId }: Installation,
  { count, targets, accountIds, scheduledAt }: PostsToCommit,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('post'));
  const accounts = await listAccountsById(db, { projectId, environment: 'production' }, [
    ...accountIds,
  ]);
  await inQuietTransaction(db, async (trx) => {
    for (const [i, id] of ids.entries()) {
      const planned = Array.from({ length: targets }, (_, index) => ({
        index,
        account: accounts[(i * targets + index) % accounts.length]!,
        path: [],
        caption: null,
        media: null,
        contentHash: null,
        platformOptions: {},
        defaultOptions: {},
        threadPosition: null,
        inReplyTo: null,
        firstComment: null,
      }));
      const asked = publishPostRow(projectId, { postId: id, run: 1 }, scheduledAt);
      await insertPost(
        trx,
        {
          id,
          project_id: projectId,
          caption,
          status: scheduledAt ? 'scheduled' : 'pending',
          scheduled_at: scheduledAt,
          current_run: 1,
          workflow_id: asked.workflow_id,
          created_at: accounts[0]!.read_at,
        },
        toResultRows({ id, projectId, media: [], isDraft: false }, planned),
        { asked },
      );
    }
  });
  notifier.notify('fanfare_outbox');
  return ids;
}

/**
 * Commits posts that are due at once, for traffic. A single post goes to the next accounts in turn, because
 * posts to one account wait for each other.
 */
export function commitPostsTo(
  installation: Installation,
  accountIds: readonly string[],
  targets: number,
): (count: number) => Promise<string[]> {
  let next = 0;
  return (count) => {
    const chosen = Array.from(
      { length: targets },
      (_, i) => accountIds[(next + i) % accountIds.length]!,
    );
    next += targets;
    return commitPosts(installation, {
      count,
      targets,
      accountIds: count === 1 ? chosen : accountIds,
      scheduledAt: null,
    });
  };
}

/** Twenty at a time. */
async function createPosts(
  { api }: Installation,
  { count, targets, accountIds, scheduledAt, mediaId }: PostsToCommit,
): Promise<string[]> {
  const ids: string[] = [];
  let begun = 0;
  async function loop(): Promise<void> {
    while (begun < count) {
      const first = begun++ * targets;
      const answer = await api.post('/v1/posts', {
        // A repeated text would cause a warning.
        caption: `${caption} ${randomUUID()}`,
        account_ids: Array.from(
          { length: targets },
          (_, index) => accountIds[(first + index) % accountIds.length],
        ),
        ...(scheduledAt && { scheduled_at: scheduledAt.toISOString() }),
        ...(mediaId !== undefined && { media_ids: [mediaId] }),
      });
      if (answer.status >= 300) throw new Error(`A post was refused: ${answer.text}`);
      ids.push(answer.body.data.id as string);
    }
  }
  await Promise.all(Array.from({ length: 20 }, loop));
  return ids;
}

export interface DuePosts extends Omit<PostsToCommit, 'scheduledAt'> {
  /** Time until the posts are due. */
  aheadMs: number;
}

/** Commits posts that are due at the same time. Returns how many seconds later each was published. */
export async function publishDuePosts(
  installation: Installation,
  { aheadMs, ...posts }: DuePosts,
): Promise<number[]> {
  const dueAt = new Date(Date.now() + aheadMs);
  await commitPosts(installation, { ...posts, scheduledAt: dueAt });
  if (Date.now() > dueAt.getTime())
    throw new Error('The posts were due before all were committed.');
  await waitForAllConcluded(installation, { timeoutMs: aheadMs + 180_000 });
  const rows = await installation.db
    .selectFrom('posts')
    .innerJoin('post_results', 'post_results.post_id', 'posts.id')
    .select('post_results.published_at')
    .where('posts.scheduled_at', '=', dueAt)
    .where('post_results.status', '=', 'published')
    .execute();
  const expected = posts.count * posts.targets;
  if (rows.length !== expected) throw new Error(`${rows.length} of ${expected} were published.`);
  return rows.map((row) => (row.published_at!.getTime() - dueAt.getTime()) / 1_000);
}

/** Throws when one has not concluded after the time. */
export async function waitForAllConcluded(
  { db, program }: Installation,
  { timeoutMs }: { timeoutMs: number },
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const open = await db
      .selectFrom('posts')
      .select('id')
      .where('status', 'in', ['pending', 'scheduled'])
      .limit(1)
      .executeTakeFirst();
    if (!open) return;
    if (Date.now() > deadline) {
      throw new Error(`Not all has concluded after ${timeoutMs} ms:\n${program.output()}`);
    }
    await sleep(20);
  }
}

/** Throws unless every target is published, and is on the network once. */
export async function checkPublished({ db }: Installation, expected: number): Promise<void> {
  const { rows } = await sql<{ published: string; posted: string; matching: string }>`
    select
      (select count(*) from post_results where status = 'published') as published,
      (select count(*) from sandbox_posts) as posted,
      (select count(distinct external_id) from post_results
        join sandbox_posts on sandbox_posts.id = external_id) as matching`.execute(db);
  const counts = rows[0]!;
  if (Object.values(counts).some((count) => Number(count) !== expected)) {
    throw new Error(`${expected} were expected: ${JSON.stringify(counts)}.`);
  }
}
