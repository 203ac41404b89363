// Posts that a pause holds. Creates them, waits until they are held, and finds which of them reached the
// network.
import { expect } from 'vitest';
import { resume } from '../../../api/cli/pause.ts';
import { listPauses } from '../../../schema/database/pauses.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import type { TestApp } from './app.ts';
import type { Tenant } from './seed.ts';

/** A pause and its end take effect within this time. */
export const effectiveMs = 5_000;

export async function resumeAll({ context }: TestApp): Promise<void> {
  for (const { scope } of await listPauses(context.db)) await resume(context, scope);
}

export async function createPost(
  tenant: Tenant,
  more: Record<string, unknown> = {},
): Promise<Post> {
  const [ada, bob] = [await tenant.connectSandbox('ada'), await tenant.connectSandbox('bob')];
  return tenant.createPost({ caption: 'hello', account_ids: [ada.id, bob.id], ...more });
}

export async function readPost(tenant: Tenant, { id }: Post): Promise<Post> {
  return (await tenant.api.get(`/v1/posts/${id}`)).body.data as Post;
}

/**
 * The IDs of the results that have a post at the network. An ID appears once for each of the result's posts.
 */
export async function findPublished({ context }: TestApp, { results }: Post): Promise<string[]> {
  const rows = await context.db
    .selectFrom('sandbox_posts')
    .select('reference')
    .where(
      'reference',
      'in',
      results.map(({ id }) => id),
    )
    .execute();
  return rows.map(({ reference }) => reference!).toSorted();
}

export const idsOf = ({ results }: Post) => results.map(({ id }) => id).toSorted();

/** Waits until every target of the post has met the pause, so that no workflow runs for the post. */
export async function waitUntilHeld({ context }: TestApp, { id, results }: Post): Promise<void> {
  const openRows = context.db
    .selectFrom('post_results')
    .select('is_paused')
    .where('post_id', '=', id)
    .where('status', 'in', ['pending', 'publishing']);
  await expect
    .poll(async () => (await openRows.execute()).map((row) => row.is_paused))
    .toEqual(results.map(() => true));
}
