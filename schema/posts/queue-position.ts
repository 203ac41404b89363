// Which slot of a queue a post takes.
import type { z } from 'zod';
import { describedEnum } from '../wire/described-enum.ts';

export const QueuePosition = describedEnum(
  'QueuePosition',
  'Slot of the queue that a post takes.',
  {
    next: 'The first free slot.',
    last: 'The first slot after the last one that is taken.',
    first:
      'The first slot. Posts that have it and the slots after it move on, up to the first free slot.',
  },
);
export type QueuePosition = z.infer<typeof QueuePosition>;
