// Replays: the deliveries of a webhook's past, sent again, as the wire shows their progress.
import { z } from 'zod';
import { GivenTime, Timestamp } from './wire/timestamp.ts';

export const replayStatuses = ['running', 'completed', 'canceled'] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

/** Deliveries that have concluded, and events that this webhook never had a delivery of. */
export const replayedStatuses = ['failed', 'skipped', 'canceled', 'delivered', 'missing'] as const;
export type ReplayedStatus = (typeof replayedStatuses)[number];

/** Of the request's fields, for both APIs. */
export const replayFieldDocs = {
  since: 'Events from this time on. Not older than events are kept.',
  until: 'Up to, not including, this. Default: now; a later time counts as now.',
  status:
    '`missing`: events of the subscribed kinds that this webhook has no delivery of, such as those from before it existed. Default: failed and skipped.',
} as const;

const quote = (words: readonly string[]) => words.map((word) => `"${word}"`).join(' or ');

/** Of the answers' `matched`, for both APIs. */
export const matchedDocs = {
  accepted:
    'How many deliveries will be sent again; when it takes over 3 s to count them, how many were counted by then.',
  progress:
    'How many deliveries match, as far as they were counted when the replay was asked for; more once more are reopened.',
} as const;

export const ReplayDeliveries = z
  .strictObject({
    since: GivenTime.meta({ description: replayFieldDocs.since }),
    until: GivenTime.optional().meta({ description: replayFieldDocs.until }),
    status: z
      .array(z.enum(replayedStatuses), `must be an array of ${quote(replayedStatuses)}`)
      .min(1, `must have at least 1 item of ${quote(replayedStatuses)}`)
      .default((): ReplayedStatus[] => ['failed', 'skipped'])
      .meta({ description: replayFieldDocs.status }),
  })
  .meta({ id: 'ReplayDeliveries' });
export type ReplayDeliveries = z.infer<typeof ReplayDeliveries>;

export const AcceptedReplay = z
  .object({
    replay_id: z.string(),
    matched: z.int().meta({ description: matchedDocs.accepted }),
  })
  .meta({ id: 'AcceptedReplay' });
export type AcceptedReplay = z.infer<typeof AcceptedReplay>;

export const Replay = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    status: z.enum(replayStatuses).meta({
      description: '`canceled`: the webhook was deleted meanwhile.',
    }),
    since: Timestamp,
    until: Timestamp,
    status_filter: z.array(z.enum(replayedStatuses)),
    matched: z.int().meta({ description: matchedDocs.progress }),
    reopened: z.int().meta({
      description: 'How many of the matched deliveries have a new schedule of attempts by now.',
    }),
    pending: z
      .int()
      .meta({ description: 'How many of the reopened deliveries have not concluded.' }),
    delivered: z.int(),
    failed: z.int(),
    skipped: z.int(),
    canceled: z.int(),
    created_at: Timestamp,
    concluded_at: Timestamp.nullable(),
  })
  .meta({ id: 'Replay' });
export type Replay = z.infer<typeof Replay>;
