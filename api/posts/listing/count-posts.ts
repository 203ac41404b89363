// Counts posts by day and status, as a calendar shows them.
import { countPostsByDay } from '../../../schema/database/posts/listing/counts.ts';
import type { PostCount } from '../../../schema/posts/listing.ts';
import type { CountByDay } from '../../../schema/wire/counts.ts';
import type { Page } from '../../../schema/wire/listing.ts';
import type { Caller, Context } from '../../http/context.ts';
import { countByDay } from '../../http/day-counts.ts';

export function listPostCounts(
  context: Context,
  caller: Caller,
  query: CountByDay,
): Promise<Page<PostCount>> {
  return countByDay(context, caller, query, countPostsByDay);
}
