// What can be asked about posts: one, and the list.
import type { Page } from '../../schema/listing.ts';
import type { ListPosts, Post } from '../../schema/posts.ts';
import { getPostRow, listPostRows, listResults } from '../../schema/database/posts.ts';
import type { Caller, Context } from '../context.ts';
import { page } from '../listing.ts';
import { presentPost } from './presenter.ts';

export async function getPost(context: Context, caller: Caller, id: string): Promise<Post> {
  const { post, results } = await getPostRow(context.db, caller.projectId, id);
  return presentPost(context, post, results);
}

export async function listPosts(
  context: Context,
  { projectId }: Caller,
  { limit, cursor, ...filters }: ListPosts,
): Promise<Page<Post>> {
  return page(
    'post',
    { limit, cursor },
    (slice) => listPostRows(context.db, projectId, filters, slice),
    async (posts) => {
      const ids = posts.map((post) => post.id);
      const results = Map.groupBy(await listResults(context.db, ids), (result) => result.post_id);
      return posts.map((post) => presentPost(context, post, results.get(post.id) ?? []));
    },
  );
}
