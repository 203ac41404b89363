// The attempts of a target or a comment: every call to its network, as the wire shows it.
import { z } from 'zod';
import { Phase, ProviderError } from './posts.ts';
import { describedEnum } from '../wire/described-enum.ts';
import { JsonObject } from '../wire/shared-fields.ts';
import { Timestamp } from '../wire/timestamp.ts';

export const AttemptOutcome = describedEnum('AttemptOutcome', 'Outcome of the call.', {
  begun: 'In progress, or the process that made the call was lost.',
  more: 'One step of the preparation is done, and another one follows.',
  prepared: 'The network is ready to publish.',
  stale:
    'The network no longer had the prepared post, and published nothing. Fanfare prepares the target again, or ends the target.',
  accepted: 'The network accepted the post and is still processing it.',
  published: 'The network has the post. `visibility` says who can see it.',
  absent: 'A check found that the network does not have the post.',
  unknown: 'A check could not tell whether the network has the post.',
  rejected: 'The network refused the post permanently.',
  reauthorize: "The network refused the account's access.",
  rate_limited: 'The network limited the rate.',
  unavailable: 'The network was unreachable or temporarily refused. The post was not accepted.',
  stalled:
    'Fanfare stalled before the call and sent nothing. It tries again after a second, and the retry schedule stays as it is.',
  unknown_outcome: 'The response was lost. The network may have accepted the post.',
});
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

export const PostAttempt = z
  .object({
    number: z.int().meta({
      description: 'Number of the call, ascending over all runs, with a gap at each retry.',
    }),
    run: z.int().meta({ description: 'Number of the run of the post. Each retry is a new run.' }),
    phase: Phase,
    started_at: Timestamp.meta({ description: 'Time when the call started.' }),
    duration_ms: z.int().nullable().meta({
      description: 'Duration of the call, in milliseconds. Null while it is in progress.',
    }),
    outcome: AttemptOutcome,
    error_code: z.string().nullable().meta({
      description: "Network's own error code. Null if there is none.",
    }),
    error_message: z.string().nullable().meta({
      description: "Network's own error message. Null if there is none.",
    }),
    provider_error: ProviderError,
    provider_detail: JsonObject.nullable().meta({
      description:
        'Details that the network reports about a published post. On Nostr: the answer of each relay. Null if there are none.',
    }),
  })
  .meta({ id: 'PostAttempt', description: 'One call to the network for a target or a comment.' });
export type PostAttempt = z.infer<typeof PostAttempt>;
