// The story of a target or a comment: every call of a phase to its network, as the wire shows it.
import { z } from 'zod';
import { phases, ProviderError } from './posts.ts';
import { Timestamp } from './timestamp.ts';

export const PostAttempt = z
  .object({
    number: z.int().meta({
      description: 'Grows from call to call of the target, over all runs; a retry leaves one out.',
    }),
    run: z.int().meta({ description: 'Of the post; a retry is a new one.' }),
    phase: z.enum(phases),
    started_at: Timestamp,
    duration_ms: z.int().nullable().meta({ description: 'Null: the call has not ended.' }),
    outcome: z.string().meta({
      description:
        'What the call came to, such as `published` or `unavailable`. `begun`: it is under way, or what sent it was lost.',
    }),
    error_code: z.string().nullable().meta({ description: "The network's own code." }),
    error_message: z.string().nullable(),
    provider_error: ProviderError,
  })
  .meta({ id: 'PostAttempt' });
export type PostAttempt = z.infer<typeof PostAttempt>;
