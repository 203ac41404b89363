// Replays: past deliveries of a webhook, sent again, as the wire shows their progress.
import { z } from 'zod';
import { formerName } from './wire/deprecations.ts';
import { describedEnum } from './wire/described-enum.ts';
import { oneNameOf, periodNames } from './wire/listing.ts';
import { CreatedAt, Id, WebhookId } from './wire/shared-fields.ts';
import { GivenTime, Timestamp } from './wire/timestamp.ts';

export const ReplayStatus = describedEnum('ReplayStatus', 'Replay status.', {
  running: 'Deliveries are being sent.',
  completed: 'Every delivery has succeeded or failed.',
  canceled: 'The webhook was deleted.',
});
export type ReplayStatus = z.infer<typeof ReplayStatus>;

export const ReplayedStatus = describedEnum(
  'ReplayedStatus',
  'Which deliveries the replay sends again.',
  {
    failed: 'Deliveries whose every attempt failed.',
    skipped: 'Deliveries skipped because the webhook was disabled.',
    canceled: 'Deliveries that were canceled.',
    delivered: 'Deliveries that the receiver accepted.',
    missing:
      'Events of the subscribed types without a delivery to the webhook, such as events from before the webhook was created.',
  },
);
export type ReplayedStatus = z.infer<typeof ReplayedStatus>;

const choice = ReplayedStatus.options.map((word) => `"${word}"`).join(' or ');

const GivenReplay = z.strictObject({
  from: GivenTime.optional().meta({
    description:
      'Start of the period, inclusive. Required. Must be within the retention period of events.',
  }),
  to: GivenTime.optional().meta({
    description: 'End of the period, exclusive. Default: now. A later time counts as now.',
  }),
  since: GivenTime.optional().meta(formerName('from', '0.2')),
  until: GivenTime.optional().meta(formerName('to', '0.2')),
  status: z
    .array(ReplayedStatus, `must be an array of ${choice}`)
    .min(1, `must have at least 1 item of ${choice}`)
    .default((): ReplayedStatus[] => ['failed', 'skipped'])
    .meta({ description: 'Which deliveries to send again. Default: failed and skipped ones.' }),
});

export const ReplayDeliveries = oneNameOf(GivenReplay, periodNames)
  .refine(({ from, since }) => from !== undefined || since !== undefined, {
    path: ['from'],
    params: { code: 'required', text: 'is required' },
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'ReplayDeliveries', description: 'Deliveries to send again.' });
export type ReplayDeliveries = z.infer<typeof ReplayDeliveries>;

export const AcceptedReplay = z
  .object({
    replay_id: z.string().meta({ description: 'ID of the replay.' }),
    matched: z.int().meta({
      description:
        'Number of deliveries to send again. If counting takes more than 3 seconds, the number counted by then.',
    }),
  })
  .meta({ id: 'AcceptedReplay', description: 'A replay that was started.' });
export type AcceptedReplay = z.infer<typeof AcceptedReplay>;

const count = (description: string) => z.int().meta({ description });

export const Replay = z
  .object({
    id: Id,
    webhook_id: WebhookId,
    status: ReplayStatus,
    from: Timestamp.meta({ description: 'Start of the period, inclusive.' }),
    to: Timestamp.meta({ description: 'End of the period, exclusive.' }),
    since: Timestamp.meta(formerName('from', '0.2')),
    until: Timestamp.meta(formerName('to', '0.2')),
    status_filter: z.array(ReplayedStatus).meta({
      description: 'Which deliveries the replay sends again, by their status at the start.',
    }),
    matched: count(
      'Number of matching deliveries, as counted at the start. Never less than `reopened`.',
    ),
    reopened: count('Number of matched deliveries that have a new retry schedule.'),
    pending: count('Number of reopened deliveries that are still in progress.'),
    delivered: count('Number of reopened deliveries that the receiver accepted.'),
    failed: count('Number of reopened deliveries whose every attempt failed.'),
    skipped: count('Number of reopened deliveries skipped because the webhook was disabled.'),
    canceled: count('Number of reopened deliveries canceled because the webhook was deleted.'),
    created_at: CreatedAt,
    concluded_at: Timestamp.nullable().meta({
      description: 'Time when the last delivery ended. Null until then.',
    }),
  })
  .meta({ id: 'Replay', description: 'Past deliveries of a webhook, sent again.' });
export type Replay = z.infer<typeof Replay>;
