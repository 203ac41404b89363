// Reads posts: one by its ID, the list, and the posts that other resources link to.
import type { Page } from '../../schema/wire/listing.ts';
import type { ListPosts, Post, PostResult } from '../../schema/posts/posts.ts';
import {
  getPostRow,
  listPostIdsOfResults,
  listPostRows,
  listPostsById,
  listResults,
} from '../../schema/database/posts/posts.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { Caller, Context } from '../http/context.ts';
import { page } from '../http/listing.ts';
import { presentPost } from './presenter.ts';

export async function getPost(context: Context, caller: Caller, id: string): Promise<Post> {
  const { post, results } = await getPostRow(context.db, caller, id);
  return presentPost(context, post, results);
}

export async function listPosts(
  context: Context,
  caller: Caller,
  { limit, cursor, ...filters }: ListPosts,
): Promise<Page<Post>> {
  return page(
    'post',
    { limit, cursor },
    (slice) => listPostRows(context.db, caller, filters, slice),
    async (posts) => {
      const ids = posts.map((post) => post.id);
      const results = Map.groupBy(
        await listResults(context.db, caller.projectId, ids),
        (result) => result.post_id,
      );
      return posts.map((post) => presentPost(context, post, results.get(post.id) ?? []));
    },
  );
}

/** The posts with these IDs that the scope includes. */
export async function findPosts(context: Context, scope: RowScope, ids: string[]): Promise<Post[]> {
  const posts = await listPostsById(context.db, scope, ids);
  return posts.map(({ post, results }) => presentPost(context, post, results));
}

/** The results with these IDs. */
export async function findResults(
  context: Context,
  caller: Caller,
  ids: string[],
): Promise<PostResult[]> {
  const postIds = await listPostIdsOfResults(context.db, caller.projectId, ids);
  const posts = await findPosts(context, caller, postIds);
  return posts.flatMap(({ results }) => results).filter(({ id }) => ids.includes(id));
}
