// Reading single posts, and the calls of their targets and comments to the networks, in GraphQL.
import { AttemptOutcome, type PostAttempt } from '../../../schema/posts/attempts.ts';
import { Phase } from '../../../schema/posts/posts.ts';
import { listQuery } from '../../../schema/wire/listing.ts';
import { builder } from '../../graphql/builder.ts';
import { connectionOf } from '../../graphql/connections.ts';
import { linkPages } from '../../graphql/links.ts';
import { queryOne } from '../../graphql/queries.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { subscriptionOf } from '../../graphql/subscriptions.ts';
import { listAttemptsOfResults, toAttemptCursor } from '../list-attempts.ts';
import { findPosts, getPost } from '../read-posts.ts';
import { OutcomeRef, PostRef } from './shapes.ts';

queryOne('post', {
  type: PostRef,
  scope: 'posts:read',
  resource: 'post',
  get: getPost,
});

subscriptionOf('postUpdated', {
  description:
    "Changes of the project's posts, or of one post. With `id` and without `after`, the first message is the current state. A stream opened after `createPost` therefore misses nothing.",
  subject: 'post',
  type: PostRef,
  scope: 'posts:read',
  get: getPost,
  find: findPosts,
});

const PostAttemptRef = builder.objectRef<PostAttempt>('PostAttempt').implement({
  fields: (t) => ({
    number: t.exposeInt('number'),
    run: t.exposeInt('run'),
    phase: t.expose('phase', { type: wordEnum(Phase) }),
    startedAt: t.expose('started_at', { type: 'DateTime' }),
    durationMs: t.exposeInt('duration_ms', { nullable: true }),
    outcome: t.expose('outcome', { type: wordEnum(AttemptOutcome) }),
    errorCode: t.exposeString('error_code', { nullable: true }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    providerError: t.expose('provider_error', { type: 'JSON', nullable: true }),
    providerDetail: t.expose('provider_detail', { type: 'JSON', nullable: true }),
  }),
});

linkPages(OutcomeRef, 'attemptLog', {
  type: connectionOf('PostAttemptConnection', PostAttemptRef),
  description: 'Calls to the network, newest first.',
  scope: 'posts:read',
  schema: listQuery({}),
  listMany: listAttemptsOfResults,
  toNodeCursor: toAttemptCursor,
});
