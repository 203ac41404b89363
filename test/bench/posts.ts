// Commits posts the way operations do, and waits until all of them have concluded.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { toResultRows } from '../../api/posts/result-rows.ts';
import { newId } from '../../schema/wire/ids.ts';
import { listAccountsById } from '../../schema/database/accounts/accounts.ts';
import { publishPostRow } from '../../schema/database/outbox.ts';
import { insertPost } from '../../schema/database/posts/posts.ts';
import type { Installation } from './installation.ts';
import { inQuietTransaction } from '../support/rows/quiet-transaction.ts';

const caption = 'Out now, on every network at once.';

export interface PostsToCommit {
  count: number;
  /** Of each post; each at an account of its own. */
  targets: number;
  accountIds: readonly string[];
  /** Null: at once. */
  scheduledAt: Date | null;
}

/** All in one transaction, so that making them takes nothing from what carries them. */
export async function commitPosts(
  { db, notifier, projectId }: Installation,
  { count, targets, accountIds, scheduledAt }: PostsToCommit,
): Promise<void> {
  const accounts = await listAccountsById(db, { projectId, environment: 'production' }, [
    ...accountIds,
  ]);
  await inQuietTransaction(db, async (trx) => {
    for (let i = 0; i < count; i++) {
      const id = newId('post');
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
        },
        toResultRows({ id, projectId, isDraft: false }, planned),
        asked,
      );
    }
  });
  notifier.notify('fanfare_outbox');
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
