// Recorded events, and event types as the API describes them.
import { z } from 'zod';
import { EventData, EventType } from './event-types.ts';
import { describedEnum } from './wire/described-enum.ts';
import { periodQuery } from './wire/listing.ts';
import { Id, JsonObject, queryFlag } from './wire/shared-fields.ts';
import { Timestamp } from './wire/timestamp.ts';

export const Availability = describedEnum('Availability', 'Whether the event type is sent.', {
  live: 'Sent by every installation. A new webhook receives it by default.',
  opt_in: 'Sent by every installation, but only to webhooks that name it in `events`.',
  coming_soon: 'Sent only by installations that preview it.',
});

export const EventTypeInfo = z
  .object({
    event: EventType,
    meaning: z.string().meta({ description: 'When the event is recorded.' }),
    availability: Availability,
    is_sent: z.boolean().meta({
      description:
        'Whether this installation sends the event type. `FANFARE_PREVIEW_EVENTS=true` sends all of them.',
    }),
    json_schema: JsonObject.meta({
      description: 'JSON Schema of the request body that webhooks receive.',
    }),
  })
  .meta({ id: 'EventTypeInfo', description: 'An event type and the JSON Schema of its body.' });
export type EventTypeInfo = z.infer<typeof EventTypeInfo>;

/** A recorded event. `data` is what webhooks receive. */
export const Event = z
  .object({
    id: Id,
    event: EventType,
    timestamp: Timestamp.meta({
      description: 'Time of recording. Later events of a post or an account have later times.',
    }),
    data: EventData,
    post_id: z.string().nullable().meta({
      description: 'ID of the post that the event is about. Null if it is not about a post.',
    }),
    social_account_id: z.string().nullable().meta({
      description: 'ID of the account that the event is about. Null if it is not about an account.',
    }),
    test: z.boolean().meta({ description: 'Whether it is a test event.' }),
  })
  .meta({ id: 'Event', description: 'A recorded event.' });
export type Event = z.infer<typeof Event>;

/** An event with the members that REST omits, because `data` has them too. */
export interface RecordedEvent extends Event {
  /** The request body that webhooks receive, to the byte. */
  body: string;
}

export const ListEvents = periodQuery({
  event: EventType.optional().meta({ description: 'Only events of this type.' }),
  test: queryFlag('`true` lists test events instead of real ones. Default: false.'),
});
export type ListEvents = z.infer<typeof ListEvents>;
