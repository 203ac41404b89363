// Events older than the retention, each with a delivery and its attempts, written by SQL.
import { sql } from 'kysely';
import type { Db } from '../../../schema/database/tables.ts';
import { firstIdAt } from '../../../schema/wire/ids.ts';

export const dayMs = 86_400_000;

/** The prefix of IDs of that kind and time. It leaves room for the number of a row within the millisecond. */
const prefixAt = (kind: 'event' | 'delivery', at: Date) => firstIdAt(kind, at).slice(0, -8);

interface OldEvents {
  projectId: string;
  webhookId: string;
  count: number;
  daysAgo?: number;
  attemptsEach?: number;
  /** Number of further deliveries of each event, to webhooks that no longer exist. */
  deliveriesEach?: number;
}

/** Adds events whose deliveries all succeeded. Returns the events' IDs in their order. */
export async function addOldEvents(
  db: Db,
  { projectId, webhookId, count, daysAgo = 40, attemptsEach = 2, deliveriesEach = 1 }: OldEvents,
): Promise<string[]> {
  const at = new Date(Date.now() - daysAgo * dayMs);
  const eventId = sql`${prefixAt('event', at)} || lpad(e::text, 8, '0')`;
  const deliveryId = sql`${prefixAt('delivery', at)} || lpad((e * 1000 + d)::text, 8, '0')`;
  const events = sql`generate_series(1, ${count}::int) e`;
  const deliveries = sql`${events}, generate_series(0, ${deliveriesEach - 1}::int) d`;
  const { rows } = await sql<{ id: string }>`
    insert into events (id, project_id, environment, kind, body, created_at)
    select ${eventId}, ${projectId}, 'production', 'account.connected', '{}', ${at} from ${events}
    returning id`.execute(db);
  await sql`
    insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger,
      attempt_count, created_at, concluded_at, delivered_at)
    select ${deliveryId}, ${projectId}, ${webhookId} || case d when 0 then '' else d::text end,
      ${eventId}, 'account.connected', 'delivered', 'event', ${attemptsEach}, ${at}, ${at}, ${at}
    from ${deliveries}`.execute(db);
  await sql`
    insert into delivery_attempts (delivery_id, number, trigger, started_at, timings, request_headers)
    select ${deliveryId}, n, 'schedule', ${at}, '{}', '{}'
    from ${deliveries}, generate_series(1, ${attemptsEach}::int) n`.execute(db);
  return rows.map((row) => row.id).toSorted();
}
