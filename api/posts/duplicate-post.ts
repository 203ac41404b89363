// Copies a post into a new draft.
import { getPostRow, type PostWithResults } from '../../schema/database/posts/posts.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';
import type { CheckedPost, CreatePost } from '../../schema/posts/posts.ts';
import { restNames, type Names } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Answer } from '../http/transact.ts';
import { createPost } from './create-post.ts';
import { listTargetRows, toTargetInput } from './stored-post.ts';

/** Issues name `platform_posts`, the targets in the order of the results. */
export async function duplicatePost(
  context: Context,
  caller: Caller,
  id: string,
  names: Names = restNames,
): Promise<Answer<CheckedPost>> {
  const stored = await getPostRow(context.db, caller, id);
  return createPost(context, caller, toCopy(stored), names);
}

/** The copy has no times, because a draft is scheduled anew. */
function toCopy(stored: PostWithResults): CreatePost {
  const { platform_posts = [], ...content } = toTargetInput(stored);
  const rows = listTargetRows(stored.results);
  return {
    ...content,
    status: 'draft',
    metadata: stored.post.metadata,
    labels: stored.post.labels,
    platform_posts: platform_posts.map(({ platform_options = {}, ...target }, i) => {
      const definition = platformDefinitions.find(({ name }) => name === rows[i]!.platform);
      const decided: readonly string[] = definition?.decidedPerPost ?? [];
      const kept = Object.entries(platform_options).filter(([name]) => !decided.includes(name));
      return { ...target, platform_options: Object.fromEntries(kept) };
    }),
  };
}
