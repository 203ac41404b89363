// Posts of a project with any content and times, for tests of lists.
import { idAt } from '../../../schema/wire/ids.ts';
import type { Db, PostRow } from '../../../schema/database/tables.ts';

type Planted = Partial<Omit<PostRow, 'metadata'>> & {
  metadata?: Record<string, string>;
  /** Captions of targets. Null: the caption of the post. */
  targets?: { accountId: string; caption?: string | null }[];
};

/** By SQL, since no operation gives a post a time in the past. Returns the IDs. */
export async function plantPosts(
  db: Db,
  projectId: string,
  posts: readonly Planted[],
): Promise<string[]> {
  const rows = posts.map(({ metadata = {}, targets: _targets, ...post }) => {
    const created_at = post.created_at ?? new Date();
    return {
      id: idAt('post', created_at),
      project_id: projectId,
      environment: 'production' as const,
      caption: '',
      status: 'draft' as const,
      created_at,
      media: '[]',
      metadata: JSON.stringify(metadata),
      ...post,
    };
  });
  for (let i = 0; i < rows.length; i += 1_000) {
    await db
      .insertInto('posts')
      .values(rows.slice(i, i + 1_000) as never)
      .execute();
  }
  const targets = posts.flatMap(({ targets = [] }, i) =>
    targets.map(({ accountId, caption = null }, position) => ({
      id: idAt('result', new Date()),
      post_id: rows[i]!.id,
      project_id: projectId,
      position,
      social_account_id: accountId,
      platform: 'sandbox' as const,
      account_name: 'ada',
      caption,
      status: 'pending' as const,
      phase: 'prepare' as const,
      phase_state: 'ready' as const,
    })),
  );
  if (targets.length > 0) await db.insertInto('post_results').values(targets).execute();
  return rows.map(({ id }) => id);
}
