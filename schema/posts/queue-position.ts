// Which slot of a queue a post takes.
import type { z } from 'zod';
import { describedEnum } from '../wire/described-enum.ts';

export const QueuePosition = describedEnum(
  'QueuePosition',
  'Slot of the queue that a post takes.',
  {
    next: 'The first free slot.',
    last: 'The first slot after all that are taken.',
    first:
      'The first slot. Its post moves to the next slot, the post there to the one after it, and so on up to a free slot.',
  },
);
export type QueuePosition = z.infer<typeof QueuePosition>;
