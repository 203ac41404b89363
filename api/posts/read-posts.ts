// Reads posts: one by its ID, and the posts that other resources link to.
import type { Post, PostResult } from '../../schema/posts/posts.ts';
import {
  getPostRow,
  listPostIdsOfResults,
  listPostsById,
} from '../../schema/database/posts/posts.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { Caller, Context } from '../http/context.ts';
import { presentPost } from './presenter.ts';

export async function getPost(context: Context, caller: Caller, id: string): Promise<Post> {
  const { post, results } = await getPostRow(context.db, caller, id);
  return presentPost(context, post, results);
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
