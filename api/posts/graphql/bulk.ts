// Creating several posts at once, in GraphQL.
import { fixedLimits } from '../../../schema/wire/limits.ts';
import { CreatePosts } from '../../../schema/posts/bulk.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import type { PostIssue } from '../../../schema/posts/posts.ts';
import type { ErrorObject } from '../../../schema/wire/error-object.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { mutationOf } from '../../graphql/mutations.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { createPosts, type CreatedPost } from '../create-posts.ts';
import { CreatePostInput } from './creating.ts';
import { IssueSeverityRef, PostRef } from './shapes.ts';

const IssueRef = builder.objectRef<NonNullable<ErrorObject['issues']>[number]>('Issue').implement({
  fields: (t) => ({
    path: t.exposeString('path'),
    code: t.exposeString('code'),
    message: t.exposeString('message'),
    actual: t.field({ type: 'JSON', nullable: true, resolve: ({ actual }) => actual }),
    limit: t.field({ type: 'JSON', nullable: true, resolve: ({ limit }) => limit }),
    field: t.string({ nullable: true, resolve: ({ field }) => field }),
    platformPostIndex: t.int({ nullable: true, resolve: (issue) => issue.platform_post_index }),
    accountId: t.id({ nullable: true, resolve: (issue) => issue.account_id }),
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
    hint: t.string({ nullable: true, resolve: ({ hint }) => hint }),
    isRetriable: t.exposeBoolean('is_retriable'),
    issues: t.field({ type: [IssueRef], nullable: true, resolve: ({ issues }) => issues }),
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
      resolve: (created) =>
        'post' in created ? { ...created.post, warnings: created.warnings } : null,
    }),
    error: t.field({
      description: 'Why the post was refused. Null if it was created.',
      type: RefusalRef,
      nullable: true,
      resolve: (created) => ('error' in created ? created.error : null),
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
