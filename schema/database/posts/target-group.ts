// Parts of the statements that write several targets. Each statement has a CTE `call` with the `id` of each target.
import { sql, type RawBuilder } from 'kysely';
import type { ChangeKind } from '../../change-kinds.ts';
import type { TargetRow } from './targets.ts';

/** `skipLocked`: writes no target whose row or post is locked, and reports it as `locked`. */
export interface GroupOptions {
  skipLocked: boolean;
}

/** By the ID of the target: its first item, if several are for one target. */
export function firstOfEach<Item extends { row: Pick<TargetRow, 'id'> }>(
  items: readonly Item[],
): ReadonlyMap<string, Item> {
  // A later entry of a map replaces an earlier one, so the list is reversed.
  return new Map(items.toReversed().map((item) => [item.row.id, item]));
}

/** CTE: the rows of these calls, locked in the order of their IDs. */
export function lockTargets({ skipLocked }: GroupOptions): RawBuilder<unknown> {
  const ofCalls = sql`where r.id = any (array(select id from call)) order by r.id for no key update`;
  return skipLocked
    ? sql`target as materialized (
        select r.id from post_results r join posts p on p.id = r.post_id ${ofCalls} skip locked)`
    : sql`target as materialized (select r.id from post_results r ${ofCalls})`;
}

/** SQL: records that these posts make progress. Locks them in the order of their IDs. */
export const setProgress = (postIds: RawBuilder<unknown>) => sql`
  update posts set progressed_at = now() where id = any (array(
    select id from posts where id = any (array(${postIds})) order by id for no key update))`;

/** Records a change of each result in `results`, which have the columns of `post_results`. */
export const changeOf = (kind: ChangeKind<'post'>, results: RawBuilder<unknown>) =>
  ({
    subject: 'post',
    kind,
    result_id: sql<string>`result_id`,
    from: sql`(select project_id, post_id as id, id as result_id from ${results}) as result`,
  }) as const;
