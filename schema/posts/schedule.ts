// The time of a post as a clock in a time zone shows it.
import { z } from 'zod';
import {
  GivenLocalTime,
  GivenTimezone,
  LocalTime,
  TimeAdjustment,
  Timezone,
} from '../wire/local-time.ts';

export const PostScheduleInput = z
  .strictObject({
    local: GivenLocalTime.meta({ description: 'Time that a clock in the zone shows.' }),
    timezone: GivenTimezone,
  })
  .meta({ id: 'PostScheduleInput', description: 'Time of a post in a time zone.' });

export const PostSchedule = z
  .object({
    local: LocalTime.meta({ description: 'Time that a clock in the zone shows.' }),
    timezone: Timezone,
    adjusted: TimeAdjustment,
  })
  .meta({ id: 'PostSchedule', description: 'Time of a post in a time zone.' });
export type PostSchedule = z.infer<typeof PostSchedule>;
