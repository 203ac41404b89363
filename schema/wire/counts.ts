// Counts by day, as a calendar or a chart shows them.
import { z } from 'zod';
import { fixedLimits } from './limits.ts';
import { ordered } from './listing.ts';
import { GivenTimezone } from './local-time.ts';
import type { Text } from './names.ts';
import { GivenTime } from './timestamp.ts';

export const CountedDay = z.string().meta({
  description: 'Day in the time zone.',
  example: '2026-12-01',
});

export const CountByDay = ordered(
  z.strictObject({
    from: GivenTime.meta({ description: 'Start of the interval, inclusive.' }),
    to: GivenTime.meta({
      description: `End of the interval, exclusive. At most ${fixedLimits.scheduleAheadDays} days after the start.`,
    }),
    timezone: GivenTimezone.default('UTC').meta({
      description: 'Time zone of the days, as IANA names it, such as Europe/Berlin. Default: UTC.',
    }),
  }),
  'from',
  'to',
).refine(
  ({ from, to }) => Date.parse(to) - Date.parse(from) <= fixedLimits.scheduleAheadDays * 86_400_000,
  {
    path: ['to'],
    params: {
      code: 'too_long',
      text: (({ field }) =>
        `must be at most ${fixedLimits.scheduleAheadDays} days after ${field('from')}`) satisfies Text,
    },
    when: ({ issues }) => issues.length === 0,
  },
);
export type CountByDay = z.infer<typeof CountByDay>;
