// Counts posts by day and status, as a calendar shows them.
import { countPostsByDay } from '../../../schema/database/posts/listing/counts.ts';
import type { CountPosts, PostCount } from '../../../schema/posts/listing.ts';
import { localDays } from '../../../schema/wire/local-days.ts';
import type { Page } from '../../../schema/wire/listing.ts';
import type { Caller, Context } from '../../http/context.ts';
import { wholePage } from '../../http/listing.ts';

export async function listPostCounts(
  { db, scanInTurn }: Context,
  caller: Caller,
  { from, to, timezone }: CountPosts,
): Promise<Page<PostCount>> {
  const days = [...localDays(new Date(from), new Date(to), timezone)];
  const starts = days.map(({ startsAt }) => startsAt);
  const counts = await scanInTurn(caller.projectId, () =>
    countPostsByDay(db, caller, { starts, from, to }),
  );
  return wholePage(counts.map(({ day, ...counted }) => ({ date: days[day]!.date, ...counted })));
}
