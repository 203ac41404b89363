// Queues: plans of weekly slots that posts take in turn, as the wire shows them.
import { z } from 'zod';
import { KeyEnvironment } from './api-keys.ts';
import { describedEnum } from './wire/described-enum.ts';
import { fixedLimits } from './wire/limits.ts';
import { listQuery, ordered } from './wire/listing.ts';
import { GivenTimezone, LocalTime, Timezone } from './wire/local-time.ts';
import { CreatedAt, GivenName, Id, Name } from './wire/shared-fields.ts';
import { someChange } from './wire/some-change.ts';
import { GivenTime, Timestamp } from './wire/timestamp.ts';

export const Weekday = describedEnum('Weekday', 'Day of the week.', {
  mon: 'Monday.',
  tue: 'Tuesday.',
  wed: 'Wednesday.',
  thu: 'Thursday.',
  fri: 'Friday.',
  sat: 'Saturday.',
  sun: 'Sunday.',
});
export type Weekday = z.infer<typeof Weekday>;

const time = { description: 'Wall-clock time in the time zone of the queue.', example: '09:00' };

export const WeeklySlot = z
  .object({ weekday: Weekday, time: z.string().meta(time) })
  .meta({ id: 'WeeklySlot', description: 'A slot that comes every week.' });
export type WeeklySlot = z.infer<typeof WeeklySlot>;

const WeeklySlotInput = z
  .strictObject({
    weekday: Weekday,
    time: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a wall-clock time such as 09:00')
      .meta(time),
  })
  .meta({ id: 'WeeklySlotInput', description: 'A slot that comes every week.' });

export const Queue = z
  .object({
    id: Id,
    environment: KeyEnvironment.meta({
      description:
        '`test` if the queue has had only sandbox accounts. Test keys see only such queues.',
    }),
    name: Name,
    timezone: Timezone,
    account_ids: z.array(z.string()).meta({
      description: 'IDs of the accounts that its posts publish to.',
    }),
    slots: z.array(WeeklySlot).meta({ description: 'Weekly slots, from Monday on.' }),
    is_paused: z.boolean().meta({
      description: 'Whether new posts are refused. Posts that have a slot keep it.',
    }),
    created_at: CreatedAt,
    updated_at: Timestamp.meta({ description: 'Time of the last change of the queue.' }),
  })
  .meta({ id: 'Queue', description: 'A plan of weekly slots that posts take in turn.' });
export type Queue = z.infer<typeof Queue>;

export const QueueIssue = z
  .object({
    path: z.string().meta({ description: 'Path of the field.', example: 'slots' }),
    code: z.string().meta({ description: 'Stable code of the issue.' }),
    message: z.string().meta({ description: 'Description of the issue.' }),
    queue_id: z.string().meta({ description: 'ID of the other queue.' }),
  })
  .meta({ id: 'QueueIssue', description: 'A warning about a queue that was created or updated.' });
export type QueueIssue = z.infer<typeof QueueIssue>;

/** A queue that was just written. */
export type CheckedQueue = Queue & { warnings: QueueIssue[] };

const { queueSlots, queuePeriodDays } = fixedLimits;

const fields = {
  name: GivenName,
  timezone: GivenTimezone,
  account_ids: z.array(z.string()).min(1).meta({
    description: 'IDs of the connected accounts that its posts publish to.',
  }),
  slots: z
    .array(WeeklySlotInput)
    .min(1)
    .max(queueSlots)
    .meta({
      description: `Weekly slots, at most ${queueSlots}.`,
    }),
};

export const CreateQueue = z
  .strictObject({
    ...fields,
    is_paused: z.boolean().default(false).meta({
      description: 'Whether to refuse new posts. Default: false.',
    }),
  })
  .meta({ id: 'CreateQueue', description: 'A queue to create.' });
export type CreateQueue = z.infer<typeof CreateQueue>;

export const UpdateQueue = someChange(
  z.strictObject({
    name: fields.name.optional(),
    timezone: fields.timezone.optional(),
    account_ids: fields.account_ids.optional().meta({
      description: 'IDs of the connected accounts. Replaces all of them, for new posts.',
    }),
    slots: fields.slots.optional().meta({
      description: 'Weekly slots. Replaces all of them, for new posts.',
    }),
    is_paused: z.boolean().optional().meta({
      description: 'Whether to refuse new posts. Posts that have a slot keep it.',
    }),
  }),
).meta({ id: 'UpdateQueue', description: 'Changes to a queue. Omitted fields stay as they are.' });
export type UpdateQueue = z.infer<typeof UpdateQueue>;

export const ListQueues = listQuery({});
export type ListQueues = z.infer<typeof ListQueues>;

export const QueueSlot = z
  .object({
    at: Timestamp.meta({ description: 'Time of the slot.' }),
    local: LocalTime.meta({
      description: 'The same time on a clock in the time zone of the queue.',
    }),
    post_id: z.string().nullable().meta({
      description: 'ID of the post that has the slot. Null if the slot is free.',
    }),
  })
  .meta({ id: 'QueueSlot', description: 'A slot of a queue at a time.' });
export type QueueSlot = z.infer<typeof QueueSlot>;

export const ListQueueSlots = ordered(
  z.strictObject({
    from: GivenTime.optional().meta({
      description: 'Start of the period, inclusive. Default: now.',
    }),
    to: GivenTime.optional().meta({
      description: `End of the period, exclusive, at most ${queuePeriodDays} days after its start. Default: 7 days after its start.`,
    }),
  }),
  'from',
  'to',
);
export type ListQueueSlots = z.infer<typeof ListQueueSlots>;

export const RescheduledQueue = z
  .object({
    moved_posts: z.int().meta({ description: 'Number of posts that got another time.' }),
  })
  .meta({ id: 'RescheduledQueue', description: 'Result of rescheduling the posts of a queue.' });
export type RescheduledQueue = z.infer<typeof RescheduledQueue>;
