// Counts by the days of a time zone.
import type { Days } from '../../schema/database/listing.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { CountByDay } from '../../schema/wire/counts.ts';
import type { Page } from '../../schema/wire/listing.ts';
import { localDays } from '../../schema/wire/local-days.ts';
import type { Caller, Context } from './context.ts';
import { wholePage } from './listing.ts';

interface Counted<Status> {
  /** An index of the days. */
  day: number;
  status: Status;
  count: number;
}

export async function countByDay<Status>(
  { db, scanInTurn }: Context,
  caller: Caller,
  { from, to, timezone }: CountByDay,
  count: (db: Db, scope: RowScope, days: Days) => Promise<Counted<Status>[]>,
): Promise<Page<{ date: string; status: Status; count: number }>> {
  return scanInTurn(caller.projectId, async () => {
    // In turn too: the days of a year take 7 ms of CPU.
    const days = [...localDays(new Date(from), new Date(to), timezone)];
    const starts = days.map(({ startsAt }) => startsAt);
    const counts = await count(db, caller, { starts, from, to });
    return wholePage(counts.map(({ day, ...counted }) => ({ date: days[day]!.date, ...counted })));
  });
}
