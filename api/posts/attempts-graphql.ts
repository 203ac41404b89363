// The story of a target or a comment, in GraphQL.
import { listQuery } from '../../schema/listing.ts';
import { phases } from '../../schema/posts.ts';
import { attemptOutcomeMeaning, type PostAttempt } from '../../schema/post-attempts.ts';
import { builder } from '../builder.ts';
import { list } from '../graphql-operation.ts';
import {
  connectionOf,
  pageArguments,
  pageCost,
  toConnection,
  wordEnum,
} from '../graphql-shapes.ts';
import { pageAttempts } from './list-attempts.ts';
import { OutcomeRef } from './shapes-graphql.ts';

const PhaseRef = wordEnum('Phase', phases, { enum: 'A step of a target on its way.' });

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
    outcome: t.exposeString('outcome', { description: attemptOutcomeMeaning }),
    errorCode: t.exposeString('error_code', {
      nullable: true,
      description: "The network's own code.",
    }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    providerError: t.expose('provider_error', { type: 'JSON', nullable: true }),
  }),
});

const PostAttemptConnection = connectionOf('PostAttemptConnection', PostAttemptRef);

builder.interfaceField(OutcomeRef, 'attemptLog', (t) =>
  t.field({
    type: PostAttemptConnection,
    nullable: true,
    description: 'Every call of a phase to the network, newest first.',
    complexity: pageCost,
    args: pageArguments,
    resolve: async ({ id }, args, graphql) =>
      toConnection(
        await list(graphql, 'posts:read', listQuery({}), args, (context, _, paging) =>
          pageAttempts(context, id, paging),
        ),
      ),
  }),
);
