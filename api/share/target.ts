// The target of a post that its creator reviews.
import type { PostWithResults, ResultRow } from '../../schema/database/posts/posts.ts';
import { tiktok } from '../../schema/platforms/tiktok.ts';
import { listTargetRows } from '../posts/stored-post.ts';

/** The network whose creators review their posts on a page. */
export const reviewed = tiktok;

export interface ReviewedTarget {
  /** Position among the targets of the post. */
  index: number;
  result: ResultRow;
}

export function findTargets({ results }: PostWithResults): ReviewedTarget[] {
  return listTargetRows(results).flatMap((result, index) =>
    result.platform === reviewed.name ? [{ index, result }] : [],
  );
}
