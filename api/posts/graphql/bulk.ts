// Creating, canceling, deleting and updating several posts at once, in GraphQL.
import { fixedLimits } from '../../../schema/wire/limits.ts';
import {
  CancelPosts,
  CreatePosts,
  CreatePostsQuery,
  DeletePosts,
  UpdatePosts,
  type ChangedPost,
  type CreatedPost,
} from '../../../schema/posts/bulk.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import type { PostIssue } from '../../../schema/posts/posts.ts';
import type { ErrorObject } from '../../../schema/wire/error-object.ts';
import { builder } from '../../graphql/builder.ts';
import { mutationOf } from '../../graphql/mutations.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { cancelPosts, deletePosts, updatePosts } from '../bulk/change-posts.ts';
import { createPosts } from '../bulk/create-posts.ts';
import { IssueSeverityRef, PostIssueRef, PostRef } from './shapes.ts';
import { CreatePostInput, PostToUpdateInput } from './writing.ts';

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
      description: 'The post. Null if it was refused, and in a dry run.',
      type: PostRef,
      nullable: true,
      resolve: ({ post, warnings = [] }) => (post ? { ...post, warnings } : null),
    }),
    error: t.expose('error', {
      description: 'Why the post was refused. Null if it was created.',
      type: RefusalRef,
      nullable: true,
    }),
    warnings: t.field({
      type: [PostIssueRef],
      description: 'Issues that did not prevent the post, but may surprise you.',
      resolve: ({ warnings = [] }) => warnings,
    }),
  }),
});

const ChangedPostRef = builder.objectRef<ChangedPost>('ChangedPost').implement({
  fields: (t) => ({
    status: t.exposeInt('status', {
      description:
        'HTTP status that a request for the post alone would return in REST, such as 200, 204, 404 or 409.',
    }),
    post: t.field({
      description: 'The post. Null if it was refused or deleted.',
      type: PostRef,
      nullable: true,
      resolve: ({ post, warnings = [] }) => (post ? { ...post, warnings } : null),
    }),
    error: t.expose('error', {
      description: 'Why the post was refused. Null if it was changed or deleted.',
      type: RefusalRef,
      nullable: true,
    }),
  }),
});

/**
 * Points for one post of a bulk request: less than an operation of its own, so that a document can have the most
 * posts of a request with their results.
 */
const itemCost = 4;
const costOf = (count: number) => ({ field: itemCost * Math.max(1, count), multiplier: count });

const CreatePostsInput = builder.inputType('CreatePostsInput', {
  fields: (t) => ({ posts: t.field({ type: [CreatePostInput], required: true }) }),
});

mutationOf('createPosts', {
  type: [CreatedPostRef],
  scope: 'posts:write',
  description: `Create up to ${fixedLimits.bulkPosts} posts. Each is accepted or refused on its own. With an \`idempotencyKey\`, a repeat creates only the posts that do not exist yet. Each post counts as a request of the rate limit.`,
  complexity: ({ input: { posts } }) => costOf(posts.length),
  input: CreatePostsInput,
  schema: CreatePosts,
  args: builder.args((t) => ({ dryRun: t.boolean() })),
  query: CreatePostsQuery,
  takesKey: true,
  answersRepeats: true,
  run: (context, caller, input, { args, names }) =>
    createPosts(context, caller, { ...input, dry_run: args.dryRun === true }, names),
});

const CancelPostsInput = builder.inputType('CancelPostsInput', {
  fields: (t) => ({ ids: t.idList({ required: true }) }),
});

const ofChanges =
  'With an `idempotencyKey`, a repeat does only what is left. Each post counts as a request of the rate limit.';

mutationOf('cancelPosts', {
  type: [ChangedPostRef],
  scope: 'posts:write',
  description: `Cancel up to ${fixedLimits.bulkPosts} posts. Each is canceled or refused on its own, in order. ${ofChanges}`,
  complexity: ({ input: { ids } }) => costOf(ids.length),
  input: CancelPostsInput,
  schema: CancelPosts,
  takesKey: true,
  answersRepeats: true,
  run: (context, caller, input, { names }) => cancelPosts(context, caller, input, names),
});

const DeletePostsInput = builder.inputType('DeletePostsInput', {
  fields: (t) => ({ ids: t.idList({ required: true }), unpublish: t.boolean() }),
});

mutationOf('deletePosts', {
  type: [ChangedPostRef],
  scope: 'posts:write',
  description: `Delete up to ${fixedLimits.bulkPosts} posts. Each is deleted or refused on its own, in order, as \`deletePost\` would. ${ofChanges}`,
  complexity: ({ input: { ids } }) => costOf(ids.length),
  input: DeletePostsInput,
  schema: DeletePosts,
  takesKey: true,
  answersRepeats: true,
  run: (context, caller, input, { names }) => deletePosts(context, caller, input, names),
});

const UpdatePostsInput = builder.inputType('UpdatePostsInput', {
  fields: (t) => ({ posts: t.field({ type: [PostToUpdateInput], required: true }) }),
});

mutationOf('updatePosts', {
  type: [ChangedPostRef],
  scope: 'posts:write',
  description: `Update up to ${fixedLimits.bulkPosts} posts. Each is changed or refused on its own, in order. ${ofChanges}`,
  complexity: ({ input: { posts } }) => costOf(posts.length),
  input: UpdatePostsInput,
  schema: UpdatePosts,
  takesKey: true,
  answersRepeats: true,
  run: (context, caller, input, { names }) => updatePosts(context, caller, input, names),
});
