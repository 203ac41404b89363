// Creating several posts at once, in GraphQL.
import { fixedLimits } from '../../../schema/wire/limits.ts';
import { CreatePosts, type CreatedPost } from '../../../schema/posts/bulk.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import type { PostIssue } from '../../../schema/posts/posts.ts';
import type { ErrorObject } from '../../../schema/wire/error-object.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { mutationOf } from '../../graphql/mutations.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { createPosts } from '../create-posts.ts';
import { IssueSeverityRef, PostRef } from './shapes.ts';
import { CreatePostInput } from './writing.ts';

const IssueRef = builder.objectRef<NonNullable<ErrorObject['issues']>[number]>('Issue').implement({
  fields: (t) => ({
    path: t.exposeString('path'),
    code: t.exposeString('code'),
    message: t.exposeString('message'),
    actual: t.expose('actual', { type: 'JSON', nullable: true }),
    limit: t.expose('limit', { type: 'JSON', nullable: true }),
    field: t.exposeString('field', { nullable: true }),
    platformPostIndex: t.exposeInt('platform_post_index', { nullable: true }),
    accountId: t.exposeID('account_id', { nullable: true }),
    platform: t.field({
      type: PlatformRef,
      nullable: true,
      resolve: ({ platform }) => platform as PlatformName | undefined,
    }),
    severity: t.field({
      type: IssueSeverityRef,
      nullable: true,
      resolve: ({ severity }) => severity as PostIssue['severity'] | undefined,
    }),
  }),
});

const RefusalRef = builder.objectRef<ErrorObject>('Refusal').implement({
  fields: (t) => ({
    code: t.exposeString('code'),
    message: t.exposeString('message'),
    hint: t.exposeString('hint', { nullable: true }),
    isRetriable: t.exposeBoolean('is_retriable'),
    issues: t.expose('issues', { type: [IssueRef], nullable: true }),
    docsUrl: t.exposeString('docs_url'),
  }),
});

const CreatedPostRef = builder.objectRef<CreatedPost>('CreatedPost').implement({
  fields: (t) => ({
    status: t.exposeInt('status', {
      description:
        'HTTP status that creating the post alone would return in REST, such as 201, 202 or 422.',
    }),
    post: t.field({
      description: 'The post. Null if it was refused.',
      type: PostRef,
      nullable: true,
      resolve: ({ post, warnings = [] }) => (post ? { ...post, warnings } : null),
    }),
    error: t.expose('error', {
      description: 'Why the post was refused. Null if it was created.',
      type: RefusalRef,
      nullable: true,
    }),
  }),
});

const CreatePostsInput = builder.inputType('CreatePostsInput', {
  fields: (t) => ({ posts: t.field({ type: [CreatePostInput], required: true }) }),
});

mutationOf('createPosts', {
  type: [CreatedPostRef],
  scope: 'posts:write',
  description: `Create up to ${fixedLimits.bulkPosts} posts. Each is accepted or refused on its own. With an \`idempotencyKey\`, a repeat creates only the posts that do not exist yet. Each post counts as a request of the rate limit.`,
  complexity: ({ input: { posts } }) => ({
    field: operationCost * Math.max(1, posts.length),
    multiplier: posts.length,
  }),
  input: CreatePostsInput,
  schema: CreatePosts,
  takesKey: true,
  run: (context, caller, input, { names }) => createPosts(context, caller, input, names),
});
