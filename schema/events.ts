// The event types, as the contract lists them, and the envelope they travel in.
import { z } from 'zod';
import { listQuery, ordered, period } from './wire/listing.ts';
import { Timestamp } from './wire/timestamp.ts';

export const eventCatalogue = {
  'post.published': { meaning: 'All platforms published successfully.', availability: 'live' },
  'post.failed': { meaning: 'All platforms failed.', availability: 'live' },
  'post.partial': {
    meaning: 'Some platforms succeeded and some failed.',
    availability: 'live',
  },
  'account.connected': {
    meaning: 'A user connected a social account (connect flow or dashboard).',
    availability: 'live',
  },
  'account.disconnected': {
    meaning: 'An account was disconnected or its token permanently expired.',
    availability: 'live',
  },
  'post.scheduled': {
    meaning: 'A post was queued for future publishing.',
    availability: 'coming_soon',
  },
  'account.refreshed': {
    meaning: "A managed account's token was refreshed.",
    availability: 'coming_soon',
  },
  'account.quota_warning': {
    meaning: 'An account reached 80% of its monthly per-account limit.',
    availability: 'coming_soon',
  },
  'account.quota_exceeded': {
    meaning: 'An account exceeded its monthly per-account limit.',
    availability: 'coming_soon',
  },
} as const satisfies Record<string, { meaning: string; availability: 'live' | 'coming_soon' }>;

export type EventType = keyof typeof eventCatalogue;
export const eventTypes = Object.keys(eventCatalogue) as EventType[];
export const liveEventTypes = eventTypes.filter(
  (kind) => eventCatalogue[kind].availability === 'live',
);

export const EventType = z.enum(eventTypes).meta({ id: 'EventType' });

/** In the words of both APIs. */
export const isSentMeaning =
  'Whether this installation sends it: every live kind, and with `FANFARE_PREVIEW_EVENTS=true` all.';

/** Kinds to come are neither recorded nor sent, unless the operator previews them. */
export function isSent(kind: EventType, { previewEvents }: { previewEvents: boolean }): boolean {
  return eventCatalogue[kind].availability === 'live' || previewEvents;
}

export const EventTypeInfo = z
  .object({
    event: EventType,
    meaning: z.string(),
    availability: z.enum(['live', 'coming_soon']),
    is_sent: z.boolean().meta({ description: isSentMeaning }),
    json_schema: z.record(z.string(), z.unknown()).meta({
      description: 'The JSON Schema of the whole request body: event, timestamp and data.',
    }),
  })
  .meta({ id: 'EventTypeInfo' });
export type EventTypeInfo = z.infer<typeof EventTypeInfo>;

/** A recorded event. `data` is what webhooks receive. */
export const Event = z
  .object({
    id: z.string(),
    event: EventType,
    timestamp: Timestamp,
    data: z.record(z.string(), z.unknown()),
    post_id: z.string().nullable(),
    social_account_id: z.string().nullable(),
    test: z.boolean(),
  })
  .meta({ id: 'Event' });
export type Event = z.infer<typeof Event>;

/** With what REST leaves out, since `data` says it too. */
export interface RecordedEvent extends Event {
  /** The request body that webhooks receive, to the byte. */
  body: string;
}

export const ListEvents = ordered(
  listQuery({
    event: EventType.optional(),
    ...period,
    test: z
      .enum(['true', 'false'])
      .default('false')
      .transform((word) => word === 'true')
      .meta({ description: '`true`: the test events instead of the real ones.' }),
  }),
  'since',
  'until',
);
export type ListEvents = z.infer<typeof ListEvents>;
