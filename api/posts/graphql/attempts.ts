// The calls of a target or a comment to its network, in GraphQL.
import { listQuery } from '../../../schema/wire/listing.ts';
import { Phase } from '../../../schema/posts/posts.ts';
import { AttemptOutcome, type PostAttempt } from '../../../schema/posts/attempts.ts';
import { builder } from '../../graphql/builder.ts';
import { connectionOf } from '../../graphql/connections.ts';
import { linkPages } from '../../graphql/links.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { listAttemptsOfResults, toAttemptCursor } from '../list-attempts.ts';
import { OutcomeRef } from './shapes.ts';

const PhaseRef = wordEnum(Phase);

const OutcomeOfAttemptRef = wordEnum(AttemptOutcome);

const PostAttemptRef = builder.objectRef<PostAttempt>('PostAttempt').implement({
  fields: (t) => ({
    number: t.exposeInt('number'),
    run: t.exposeInt('run'),
    phase: t.expose('phase', { type: PhaseRef }),
    startedAt: t.expose('started_at', { type: 'DateTime' }),
    durationMs: t.exposeInt('duration_ms', { nullable: true }),
    outcome: t.expose('outcome', { type: OutcomeOfAttemptRef }),
    errorCode: t.exposeString('error_code', { nullable: true }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    providerError: t.expose('provider_error', { type: 'JSON', nullable: true }),
    providerDetail: t.expose('provider_detail', { type: 'JSON', nullable: true }),
  }),
});

const PostAttemptConnection = connectionOf('PostAttemptConnection', PostAttemptRef);

linkPages(OutcomeRef, 'attemptLog', {
  type: PostAttemptConnection,
  description: 'Calls to the network, newest first.',
  scope: 'posts:read',
  schema: listQuery({}),
  listMany: listAttemptsOfResults,
  toNodeCursor: toAttemptCursor,
});
