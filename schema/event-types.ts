// The event types. Each is one entry: its meaning, its availability, the schema of its data, a sample.
import { z } from 'zod';
import { AccountEventData, QuotaEventData } from './accounts.ts';
import { PlatformAppEventData } from './platform-apps.ts';
import {
  PostChangeEventData,
  PostEventData,
  PostUpdateEventData,
  type PostEventResult,
} from './posts/posts.ts';
import { describedEnum } from './wire/described-enum.ts';
import { Timestamp } from './wire/timestamp.ts';

interface EventTypeEntry<Data extends z.ZodType> {
  meaning: string;
  /** `opt_in` reaches only webhooks that name it. */
  availability: 'live' | 'opt_in' | 'coming_soon';
  data: Data;
  sample: z.infer<Data>;
}

/** Checks that the sample fits the schema of the data. */
function eventType<Data extends z.ZodType>(entry: EventTypeEntry<Data>): EventTypeEntry<Data> {
  return entry;
}

const ConnectedEventData = AccountEventData.omit({ reason: true }).meta({
  id: 'ConnectedEventData',
  description: 'Data of an event about a connected account.',
});
const DisconnectedEventData = AccountEventData.required({ reason: true }).meta({
  id: 'DisconnectedEventData',
  description: 'Data of an event about a disconnected account.',
});
const ExpiringEventData = ConnectedEventData.extend({
  token_expires_at: Timestamp.meta({ description: 'Time when the login ends.' }),
}).meta({
  id: 'ExpiringEventData',
  description: 'Data of an event about an account whose login ends soon.',
});

/**
 * The data of any event type, as one object. In a union, a generated client would take the first type that
 * fits, and would fail on the data of a later event type.
 */
export const EventData = z
  .object({
    ...PlatformAppEventData.shape,
    ...PostUpdateEventData.shape,
    ...QuotaEventData.shape,
    ...DisconnectedEventData.shape,
    ...ExpiringEventData.shape,
  })
  .partial()
  .meta({
    id: 'EventData',
    description:
      'Data of an event. `event` decides which members it has: those of the webhook message with the same `event`.',
  });

// Samples, which test events send. Every id ends in `_test`, so nobody takes one for real.
const account: z.infer<typeof ConnectedEventData> = {
  social_account_id: 'sa_test',
  platform: 'bluesky',
  account_name: 'ada.example.com',
  external_user_id: 'user_test',
  connection_type: 'managed',
};

const published: PostEventResult = {
  id: 'res_1_test',
  social_account_id: account.social_account_id,
  platform: account.platform,
  account_name: account.account_name,
  thread_position: null,
  status: 'published',
  external_id: 'external_test',
  url: 'https://example.com/posts/external_test',
  visibility: 'public',
  published_at: '2026-01-31T12:00:01.250Z',
  edited_at: null,
  unpublished_at: null,
  error_code: null,
  error_message: null,
  error_hint: null,
  failure_stage: null,
  is_retriable: false,
  next_action: 'none',
  first_comment: null,
  steps: [],
};

const failed: PostEventResult = {
  ...published,
  id: 'res_2_test',
  social_account_id: 'sa_2_test',
  account_name: 'grace.example.com',
  status: 'failed',
  external_id: null,
  url: null,
  visibility: null,
  published_at: null,
  error_code: 'rejected',
  error_message: 'This is a test event: no network has refused anything.',
  error_hint: 'Nothing needs to be fixed.',
  failure_stage: 'commit',
  next_action: 'edit_content',
};

const post: PostEventData = {
  id: 'post_test',
  caption: 'A test event. Nothing was posted.',
  status: 'published',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:02.000Z',
  revision: 5,
  scheduled_at: null,
  published_at: published.published_at,
  metadata: {},
  labels: [],
  results: [published],
};

const quota: QuotaEventData = { ...account, month: '2026-01', published: 800, limit: 1_000 };

export const eventCatalogue = {
  'post.published': eventType({
    meaning: 'All platforms published successfully.',
    availability: 'live',
    data: PostEventData,
    sample: post,
  }),
  'post.failed': eventType({
    meaning: 'All platforms failed.',
    availability: 'live',
    data: PostEventData,
    sample: { ...post, status: 'failed', published_at: null, results: [failed] },
  }),
  'post.partial': eventType({
    meaning: 'Some platforms succeeded and some failed.',
    availability: 'live',
    data: PostEventData,
    sample: { ...post, status: 'partial', results: [published, failed] },
  }),
  'account.connected': eventType({
    meaning: 'A user connected a social account (connect flow or dashboard).',
    availability: 'live',
    data: ConnectedEventData,
    sample: account,
  }),
  'account.disconnected': eventType({
    meaning: 'An account was disconnected or its token permanently expired.',
    availability: 'live',
    data: DisconnectedEventData,
    sample: { ...account, reason: 'token_expired' },
  }),
  'account.expiring': eventType({
    meaning: "An account's login ends soon and can't be refreshed.",
    availability: 'opt_in',
    data: ExpiringEventData,
    sample: { ...account, token_expires_at: '2026-02-07T12:00:00.000Z' },
  }),
  'post.edited': eventType({
    meaning: 'A published target was edited at its network.',
    availability: 'opt_in',
    data: PostChangeEventData,
    sample: {
      ...post,
      results: [{ ...published, edited_at: '2026-01-31T13:00:00.000Z' }],
      result_id: published.id,
    },
  }),
  'post.unpublished': eventType({
    meaning: 'A published target was removed from its network.',
    availability: 'opt_in',
    data: PostChangeEventData,
    sample: {
      ...post,
      results: [
        { ...published, status: 'unpublished', unpublished_at: '2026-01-31T13:00:00.000Z' },
      ],
      result_id: published.id,
    },
  }),
  'post.updated': eventType({
    meaning: 'A network has finished its work on a published target.',
    availability: 'opt_in',
    data: PostUpdateEventData,
    sample: { ...post, result_id: published.id, changed: ['external_id', 'url'] },
  }),
  'platform_app.credits_exhausted': eventType({
    meaning: 'Your own app has no credits left at its network. Recorded at most once a day.',
    availability: 'opt_in',
    data: PlatformAppEventData,
    sample: { platform: 'twitter', client_id: 'client_test' },
  }),
  'post.scheduled': eventType({
    meaning: 'A post was queued for future publishing.',
    availability: 'coming_soon',
    data: PostEventData,
    sample: {
      ...post,
      status: 'scheduled',
      scheduled_at: '2026-02-01T12:00:00.000Z',
      published_at: null,
      results: [
        {
          ...published,
          status: 'pending',
          external_id: null,
          url: null,
          visibility: null,
          published_at: null,
        },
      ],
    },
  }),
  'account.refreshed': eventType({
    meaning: "A managed account's token was refreshed.",
    availability: 'coming_soon',
    data: ConnectedEventData,
    sample: account,
  }),
  'account.quota_warning': eventType({
    meaning: 'An account reached 80% of its monthly per-account limit.',
    availability: 'coming_soon',
    data: QuotaEventData,
    sample: quota,
  }),
  'account.quota_exceeded': eventType({
    meaning: 'An account exceeded its monthly per-account limit.',
    availability: 'coming_soon',
    data: QuotaEventData,
    sample: { ...quota, published: quota.limit },
  }),
};

export type EventType = keyof typeof eventCatalogue;
export const eventTypes = Object.keys(eventCatalogue) as EventType[];
export const liveEventTypes = eventTypes.filter(
  (type) => eventCatalogue[type].availability === 'live',
);

export const EventType = describedEnum(
  'EventType',
  'Event type.',
  Object.fromEntries(eventTypes.map((type) => [type, eventCatalogue[type].meaning])) as Record<
    EventType,
    string
  >,
);

/** A coming-soon type is recorded and sent only if the operator previews it. */
export function isSent(type: EventType, { previewEvents }: { previewEvents: boolean }): boolean {
  return eventCatalogue[type].availability !== 'coming_soon' || previewEvents;
}

/** The whole body. It may get more members later, so a receiver's check must accept unknown ones. */
export function eventBody(type: EventType) {
  const { data } = eventCatalogue[type];
  return z.object({
    event: z.literal(type).meta({ description: 'Event type.' }),
    timestamp: Timestamp.meta({ description: 'Time of recording.' }),
    data,
  });
}
