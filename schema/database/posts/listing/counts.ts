// Counts posts by day and by label.
import { sql } from 'kysely';
import type { PostStatus } from '../../../posts/posts.ts';
import type { Days } from '../../listing.ts';
import { inScope, type RowScope } from '../../row-scope.ts';
import type { Db } from '../../tables.ts';

/** `day`: an index of `starts`. */
export async function countPostsByDay(
  db: Db,
  scope: RowScope,
  { starts, from, to }: Days,
): Promise<{ day: number; status: PostStatus; count: number }[]> {
  const isWithin = (column: string) => sql`
    ${sql.ref(column)} >= ${new Date(from)} and ${sql.ref(column)} < ${new Date(to)}`;
  const counts = sql<{ day: number; status: PostStatus; count: number }>`
    select width_bucket(at, ${starts}::timestamptz[]) - 1 as day, status, count(*)::int as count
    from (
      select scheduled_at as at, status from posts
      where ${inScope(scope, 'posts')} and ${isWithin('scheduled_at')}
      union all
      select published_at, status from posts
      where ${inScope(scope, 'posts')} and ${isWithin('published_at')} and scheduled_at is null
    ) as placed
    group by day, status order by day, status`;
  return (await counts.execute(db)).rows;
}

/** In the order of their bytes, which no locale changes. `after`: the label before the first one. */
export async function listLabelRows(
  db: Db,
  scope: RowScope,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<{ name: string; post_count: number }[]> {
  const isAfter = after === undefined ? sql`true` : sql`label.name > ${after} collate "C"`;
  const labels = sql<{ name: string; post_count: number }>`
    select label.name, count(*)::int as post_count
    from posts cross join lateral
      (select name collate "C" as name from unnest(posts.labels) as name) as label
    where ${inScope(scope, 'posts')} and posts.labels <> '{}' and ${isAfter}
    group by label.name order by label.name limit ${limit}`;
  return (await labels.execute(db)).rows;
}
