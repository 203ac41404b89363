// The first posts of each day, for a period with more posts than one list has.
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import type { VariablesOf } from '../api/schema.ts';
import { addDays } from '../browser/days.ts';
import { CalendarDay, type CalendarPostData } from './calendar-documents.ts';

type Variables = VariablesOf<typeof CalendarDay>;

interface BusyDaysOptions {
  /** Undefined: the period is not busy. */
  from: string | undefined;
  to: string;
  filters: Pick<Variables, 'statuses' | 'labels' | 'accountId' | 'externalUserId'>;
  /** Another value has the days read again, after a while. */
  version: unknown;
  /** Another value has them read again at once. */
  moves: number;
}

/** At most this often, since busy days change all the time. */
const againMs = 10_000;
const daysOfWeek = 7;
/** A month shows three of a day, and says that there are more. */
const postsOfDay = { month: 4, week: 25 };

export function useBusyDays({
  from,
  to,
  filters,
  version,
  moves,
}: BusyDaysOptions): CalendarPostData[] {
  const client = useClient();
  const [posts, setPosts] = useState<CalendarPostData[]>([]);
  const [seen, setSeen] = useState(version);
  useEffect(() => {
    if (seen === version) return;
    const timer = setTimeout(() => setSeen(version), againMs);
    return () => clearTimeout(timer);
  }, [seen, version]);

  const key = JSON.stringify(filters);
  useEffect(() => {
    if (from === undefined) return setPosts([]);
    let isStopped = false;
    const isLong = addDays(new Date(from), daysOfWeek) < new Date(to);
    const first = isLong ? postsOfDay.month : postsOfDay.week;
    async function read(start: string): Promise<void> {
      const found: CalendarPostData[] = [];
      // The days of a week at once, and one week after the other.
      for (const week of weeksOf(start, to)) {
        const days = await Promise.all(week.map(readDay));
        if (isStopped) return;
        found.push(...days.flat());
      }
      setPosts(found);
    }
    async function readDay(day: Day): Promise<readonly CalendarPostData[]> {
      const { data } = await client
        .query(CalendarDay, { ...day, ...filters, first }, { requestPolicy: 'network-only' })
        .toPromise();
      return data?.posts?.nodes ?? [];
    }
    void read(from);
    return () => {
      isStopped = true;
    };
    // The key has the filters.
  }, [client, from, to, key, seen, moves]);
  return posts;
}

type Day = Pick<Variables, 'from' | 'to'>;

/** The days of each week of the period, from midnight to midnight in the zone of this browser. */
function weeksOf(from: string, to: string): Day[][] {
  const weeks: Day[][] = [];
  for (let start = new Date(from); start < new Date(to); start = addDays(start, daysOfWeek)) {
    weeks.push(
      Array.from({ length: daysOfWeek }, (_, at) => ({
        from: addDays(start, at).toISOString(),
        to: addDays(start, at + 1).toISOString(),
      })),
    );
  }
  return weeks;
}
