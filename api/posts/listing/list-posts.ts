// Lists posts by filters in one of several orders, and counts them.
import { countPostRows, listPostRows } from '../../../schema/database/posts/listing/pages.ts';
import { addResults } from '../../../schema/database/posts/posts.ts';
import {
  maxTotalCount,
  type ListPosts,
  type PostFilters,
  type PostPageMeta,
  type TotalCount,
} from '../../../schema/posts/listing.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import type { Caller, Context } from '../../http/context.ts';
import { firstPage } from '../../http/listing.ts';
import { presentPost } from '../presenter.ts';
import { readPostPosition, toPostPosition } from './positions.ts';

/** `isScan`: the read is one of many, or sorts all posts that have the words. */
export async function listPosts(
  context: Context,
  caller: Caller,
  { limit, cursor, order, include = [], ...filters }: ListPosts,
  isScan: boolean = filters.q !== undefined,
): Promise<{ data: Post[]; meta: PostPageMeta }> {
  const { db, scanInTurn } = context;
  const after = cursor === undefined ? undefined : readPostPosition(order, cursor);
  const readRows = () => listPostRows(db, caller, filters, { limit: limit + 1, order, after });
  const rows = await (isScan ? scanInTurn(caller.projectId, readRows) : readRows());
  const page = await firstPage(
    limit,
    rows,
    async (fitting) => {
      const posts = await addResults(db, caller.projectId, fitting);
      return posts.map(({ post, results }) => presentPost(context, post, results));
    },
    (post) => toPostPosition(order, post),
  );
  if (!include.includes('total_count')) return page;
  return {
    ...page,
    meta: { ...page.meta, total_count: await countPosts(context, caller, filters) },
  };
}

export async function countPosts(
  { db, scanInTurn }: Context,
  caller: Caller,
  filters: PostFilters,
): Promise<TotalCount> {
  const count = await scanInTurn(caller.projectId, () =>
    countPostRows(db, caller, filters, maxTotalCount + 1),
  );
  return { value: Math.min(count, maxTotalCount), is_capped: count > maxTotalCount };
}
