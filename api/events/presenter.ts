// Turns the row of an event into its wire type. The data comes from the body that webhooks receive.
import type { EventRow } from '../../schema/database/tables.ts';
import type { Event, RecordedEvent } from '../../schema/events.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';

export function presentEvent(row: EventRow): RecordedEvent {
  const body = JSON.parse(row.body) as Pick<Event, 'data'>;
  return {
    id: row.id,
    event: row.kind,
    timestamp: toTimestamp(row.created_at),
    data: body.data,
    post_id: row.post_id,
    social_account_id: row.social_account_id,
    test: row.is_test,
    body: row.body,
  };
}

/** REST leaves the body out. */
export function withoutBody(recorded: RecordedEvent): Event {
  const { body: _, ...event } = recorded;
  return event;
}
