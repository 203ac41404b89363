// Finds the matches of a replay in windows, so that every query is short however long the range is.
import { sql, type RawBuilder } from 'kysely';
import type { ReplayedStatus } from '../../replays.ts';
import type { Db, ReplayRow, WebhookRow } from '../tables.ts';
import { withinPeriod } from '../listing.ts';
import { inScope } from '../row-scope.ts';

export interface ReplayRange
  extends
    Pick<ReplayRow, 'project_id' | 'webhook_id' | 'environment' | 'since' | 'until' | 'statuses'>,
    Pick<WebhookRow, 'events'> {}

/** Positions before all ids. Deliveries come first, then events without a delivery. */
const beforeDeliveries = 'dlv_';
const beforeEvents = 'evt_';

export interface Window {
  /** Whether `ids` are of deliveries, or of events that have no delivery to the webhook. */
  kind: 'deliveries' | 'events';
  ids: string[];
  /** Where the next window begins; null: this was the last one. */
  next: string | null;
}

/** Rows that one query reads. */
const windowSize = 10_000;
/** Counting returns no ids, so it can read more. */
const countingSize = 50_000;
/** A client waits for the count. */
const countForMs = 3_000;

export function startOf(statuses: readonly ReplayedStatus[]): string {
  return statuses.some((status) => status !== 'missing') ? beforeDeliveries : beforeEvents;
}

/** Counts the matches of a range. After `withinMs`, returns the number counted so far. */
export async function countMatches(
  db: Db,
  range: ReplayRange,
  withinMs = countForMs,
): Promise<number> {
  const endMs = performance.now() + withinMs;
  let count = 0;
  let position: string | null = startOf(range.statuses);
  do {
    const window = await countWindow(db, range, position);
    count += window.count;
    position = window.next;
  } while (position !== null && performance.now() < endMs);
  return count;
}

async function countWindow(db: Db, range: ReplayRange, position: string) {
  const { rows } = await sql<{ count: number; scanned: number; last: string | null }>`
    with scan as materialized (${scan(range, position, countingSize)})
    select count(*) filter (where is_match)::int as count, count(*)::int as scanned, max(id) as last
    from scan`.execute(db);
  const { count, scanned, last } = rows[0]!;
  return { count, next: scanned < countingSize ? afterPhase(range, position) : last };
}

/** The next matches after a position, at most `limit`. A window may have no matches. */
export async function readWindow(
  db: Db,
  range: ReplayRange,
  position: string,
  limit: number,
): Promise<Window> {
  const { rows } = await sql<{ ids: string[]; scanned: number; last: string | null }>`
    with scan as materialized (${scan(range, position, windowSize)}), match as (
      select id from scan where is_match order by id limit ${limit}
    )
    select array(select id from match order by id) as ids,
      (select count(*) from scan)::int as scanned, (select max(id) from scan) as last`.execute(db);
  const { ids, scanned, last } = rows[0]!;
  const kind = isAmongEvents(position) ? 'events' : 'deliveries';
  if (ids.length === limit) return { kind, ids, next: ids.at(-1)! };
  return { kind, ids, next: scanned < windowSize ? afterPhase(range, position) : last };
}

const isAmongEvents = (position: string) => position.startsWith(beforeEvents);

function afterPhase({ statuses }: ReplayRange, position: string): string | null {
  return !isAmongEvents(position) && statuses.includes('missing') ? beforeEvents : null;
}

function scan(range: ReplayRange, position: string, size: number): RawBuilder<unknown> {
  const { project_id, webhook_id, environment, statuses, events } = range;
  const scope = { projectId: project_id, environment };
  const period = { since: range.since.toISOString(), until: range.until.toISOString() };
  if (!isAmongEvents(position)) {
    return sql`
      select id, status = any(${statuses}::text[]) and trigger <> 'test' as is_match
      from deliveries
      where project_id = ${project_id} and webhook_id = ${webhook_id} and id > ${position}
        and ${withinPeriod('deliveries', 'delivery', period)}
      order by id limit ${size}`;
  }
  // A scalar subquery uses the index for each row; `not exists` might read all of the webhook's deliveries.
  return sql`
    select id, kind = any(${events}::text[]) and not is_test and (
      select true from deliveries where event_id = events.id and webhook_id = ${webhook_id} limit 1
    ) is null as is_match
    from events
    where ${inScope(scope, 'events')} and id > ${position}
      and ${withinPeriod('events', 'event', period)}
    order by id limit ${size}`;
}
