// The attempts of a target or a comment: every call of a phase to its network, as the wire shows it.
import { z } from 'zod';
import { phases, ProviderError } from './posts.ts';
import { Timestamp } from '../wire/timestamp.ts';

/** What a call came to: where the network failed, in the five kinds that the engine acts on. */
export const attemptOutcomes = {
  begun: 'it is under way, or what sent it was lost',
  prepared: 'the network is ready to publish',
  accepted: 'the network took the post and is still at work on it',
  published: 'the post is public',
  absent: 'the network was asked, and does not have the post',
  unknown: 'the network was asked, and could not tell',
  rejected: 'the network will never take this',
  reauthorize: "the account's access was refused",
  rate_limited: 'refused until later',
  unavailable: 'surely not accepted: out of reach, or refused for now',
  unknown_outcome: 'the answer was lost: the network may have taken it',
} as const;
export type AttemptOutcome = keyof typeof attemptOutcomes;

/** In the words of both APIs. */
export const attemptOutcomeMeaning = `What the call came to. ${Object.entries(attemptOutcomes)
  .map(([outcome, meaning]) => `\`${outcome}\`: ${meaning}`)
  .join('; ')}.`;

/** In the words of both APIs. */
export const providerDetailMeaning =
  'Details that a network reports about a published post. On Nostr: the answer of each relay.';

const ProviderDetail = z
  .record(z.string(), z.unknown())
  .nullable()
  .meta({ description: providerDetailMeaning });

export const PostAttempt = z
  .object({
    number: z.int().meta({
      description: 'Grows from call to call of the target, over all runs; a retry leaves one out.',
    }),
    run: z.int().meta({ description: 'Of the post; a retry is a new one.' }),
    phase: z.enum(phases),
    started_at: Timestamp,
    duration_ms: z.int().nullable().meta({ description: 'Null: the call has not ended.' }),
    outcome: z
      .enum(Object.keys(attemptOutcomes) as AttemptOutcome[])
      .meta({ description: attemptOutcomeMeaning }),
    error_code: z.string().nullable().meta({ description: "The network's own code." }),
    error_message: z.string().nullable(),
    provider_error: ProviderError,
    provider_detail: ProviderDetail,
  })
  .meta({ id: 'PostAttempt' });
export type PostAttempt = z.infer<typeof PostAttempt>;
