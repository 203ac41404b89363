// The calls of a target or a comment to its network, in GraphQL.
import { listQuery } from '../../../schema/wire/listing.ts';
import { phases } from '../../../schema/posts/posts.ts';
import {
  attemptOutcomes,
  providerDetailMeaning,
  type AttemptOutcome,
  type PostAttempt,
} from '../../../schema/posts/attempts.ts';
import { builder } from '../../graphql/builder.ts';
import { connectionOf } from '../../graphql/connections.ts';
import { linkPages } from '../../graphql/links.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { listAttemptsOfResults, toAttemptCursor } from '../list-attempts.ts';
import { OutcomeRef } from './shapes.ts';

const PhaseRef = wordEnum('Phase', phases, { enum: 'A step of a target on its way.' });

const OutcomeOfAttemptRef = wordEnum(
  'AttemptOutcome',
  Object.keys(attemptOutcomes) as AttemptOutcome[],
  {
    enum: 'What a call to the network came to.',
    ...Object.fromEntries(
      Object.entries(attemptOutcomes).map(([outcome, meaning]) => [
        outcome,
        `${meaning[0]!.toUpperCase()}${meaning.slice(1)}.`,
      ]),
    ),
  },
);

const PostAttemptRef = builder.objectRef<PostAttempt>('PostAttempt').implement({
  description: 'One call of a phase to the network of a target or a comment.',
  fields: (t) => ({
    number: t.exposeInt('number', {
      description: 'Grows from call to call of the target, over all runs; a retry leaves one out.',
    }),
    run: t.exposeInt('run', { description: 'Of the post; a retry is a new one.' }),
    phase: t.expose('phase', { type: PhaseRef }),
    startedAt: t.expose('started_at', { type: 'DateTime' }),
    durationMs: t.exposeInt('duration_ms', {
      nullable: true,
      description: 'Null: the call has not ended.',
    }),
    outcome: t.expose('outcome', {
      type: OutcomeOfAttemptRef,
      description: 'What the call came to.',
    }),
    errorCode: t.exposeString('error_code', {
      nullable: true,
      description: "The network's own code.",
    }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    providerError: t.expose('provider_error', { type: 'JSON', nullable: true }),
    providerDetail: t.expose('provider_detail', {
      type: 'JSON',
      nullable: true,
      description: providerDetailMeaning,
    }),
  }),
});

const PostAttemptConnection = connectionOf('PostAttemptConnection', PostAttemptRef);

linkPages(OutcomeRef, 'attemptLog', {
  type: PostAttemptConnection,
  description: 'Every call of a phase to the network, newest first.',
  scope: 'posts:read',
  schema: listQuery({}),
  listMany: listAttemptsOfResults,
  toNodeCursor: toAttemptCursor,
});
