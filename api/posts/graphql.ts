// Posts and their results, in GraphQL: queries, mutations and the live stream.
import {
  CreatePost,
  failureStages,
  ListPosts,
  nextActions,
  postStatuses,
  resultStatuses,
  type Post,
  type PostResult,
} from '../../schema/posts.ts';
import { builder, operationCost } from '../builder.ts';
import { list, read, readId, write } from '../graphql-operation.ts';
import {
  connectionOf,
  idArguments,
  pageArguments,
  pageCost,
  toConnection,
  wordEnum,
} from '../graphql-shapes.ts';
import { openUpdates, showUpdate, type ShownUpdate } from '../live/updates.ts';
import { PlatformRef } from '../platforms/graphql.ts';
import { createPost } from './create-post.ts';
import { getPost, listPosts } from './operations.ts';

const PostStatusRef = wordEnum('PostStatus', postStatuses, {
  partial: 'Some targets were published and some failed.',
});
const ResultStatusRef = wordEnum('ResultStatus', resultStatuses);
const FailureStageRef = wordEnum('FailureStage', failureStages);
const NextActionRef = wordEnum('NextAction', nextActions, {
  enum: 'What a person can do about a failure.',
});

const PostResultRef = builder.objectRef<PostResult>('PostResult').implement({
  description: 'What became of a post at one target.',
  fields: (t) => ({
    id: t.exposeID('id'),
    socialAccountId: t.exposeID('social_account_id'),
    platform: t.expose('platform', { type: PlatformRef }),
    accountName: t.exposeString('account_name'),
    status: t.expose('status', { type: ResultStatusRef }),
    externalId: t.exposeString('external_id', { nullable: true }),
    url: t.exposeString('url', { nullable: true }),
    publishedAt: t.expose('published_at', { type: 'DateTime', nullable: true }),
    caption: t.exposeString('caption'),
    errorCode: t.exposeString('error_code', { nullable: true }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    errorHint: t.exposeString('error_hint', {
      nullable: true,
      description: 'What to do about the error code.',
    }),
    errorDocsUrl: t.exposeString('error_docs_url', {
      nullable: true,
      description: 'The error code in `/docs`.',
    }),
    failureStage: t.expose('failure_stage', { type: FailureStageRef, nullable: true }),
    platformErrorCode: t.exposeString('platform_error_code', { nullable: true }),
    providerError: t.expose('provider_error', { type: 'JSON', nullable: true }),
    isRetriable: t.exposeBoolean('is_retriable'),
    nextAction: t.expose('next_action', { type: NextActionRef }),
    attempts: t.exposeInt('attempts'),
    nextAttemptAt: t.expose('next_attempt_at', { type: 'DateTime', nullable: true }),
  }),
});

const PostRef = builder.objectRef<Post>('Post').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    caption: t.exposeString('caption'),
    status: t.expose('status', { type: PostStatusRef }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    scheduledAt: t.expose('scheduled_at', { type: 'DateTime', nullable: true }),
    publishedAt: t.expose('published_at', { type: 'DateTime', nullable: true }),
    mediaUrls: t.exposeStringList('media_urls'),
    metadata: t.expose('metadata', { type: 'JSON' }),
    results: t.field({
      type: [PostResultRef],
      description: 'One for each target, in their order.',
      complexity: 5,
      resolve: (post) => post.results,
    }),
  }),
});

const PostConnection = connectionOf('PostConnection', PostRef);

const PlatformPostInput = builder.inputType('PlatformPostInput', {
  description: 'A target with its own content.',
  fields: (t) => ({
    accountId: t.id({ required: true }),
    caption: t.string({ description: "Default: the post's." }),
    platformOptions: t.field({
      type: 'JSON',
      description: "The network's own options, spelled as in REST: see `capabilities.options`.",
    }),
  }),
});

const NewPostStatusRef = wordEnum('NewPostStatus', ['draft']);

const CreatePostInput = builder.inputType('CreatePostInput', {
  fields: (t) => ({
    caption: t.string(),
    accountIds: t.idList({ description: 'Targets; or give `platformPosts`.' }),
    platformPosts: t.field({ type: [PlatformPostInput] }),
    scheduledAt: t.field({
      type: 'DateTime',
      description: 'At least 60 s ahead, at most a year. Without it the post is published now.',
    }),
    status: t.field({ type: NewPostStatusRef }),
    metadata: t.field({ type: 'JSON', description: 'Pairs of strings, echoed in events.' }),
    idempotencyKey: t.string({
      description: 'The same input with the same key within 24 h gets the first answer again.',
    }),
  }),
});

builder.queryFields((t) => ({
  post: t.field({
    type: PostRef,
    nullable: true,
    description: 'A post with its results.',
    complexity: operationCost,
    args: idArguments,
    resolve: (_, { id }, graphql) =>
      read(graphql, 'posts:read', (context, caller) =>
        getPost(context, caller, readId('post', id)),
      ),
  }),
  posts: t.field({
    type: PostConnection,
    nullable: true,
    description: 'The posts, newest first.',
    complexity: pageCost,
    args: {
      ...pageArguments,
      status: t.arg({ type: PostStatusRef }),
      platform: t.arg({ type: PlatformRef }),
      socialAccountId: t.arg.id(),
      externalUserId: t.arg.string(),
      from: t.arg({ type: 'DateTime' }),
      to: t.arg({ type: 'DateTime', description: 'Up to, not including, this.' }),
    },
    resolve: async (_, args, graphql) =>
      toConnection(await list(graphql, 'posts:read', ListPosts, args, listPosts)),
  }),
}));

builder.mutationField('createPost', (t) =>
  t.field({
    type: PostRef,
    nullable: true,
    description: 'Publishes to several accounts, now or at a time, or keeps a draft.',
    complexity: operationCost,
    args: { input: t.arg({ type: CreatePostInput, required: true }) },
    resolve: (_, args, graphql, info) =>
      write(graphql, { scope: 'posts:write', schema: CreatePost, args, info }, createPost),
  }),
);

const PostUpdate = builder.objectRef<ShownUpdate<Post>>('PostUpdate').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Where to go on: give it as `after`.' }),
    change: t.exposeString('change', {
      description:
        'What happened, such as `created` or `result.published`. `present`: nothing, this is how it stands.',
    }),
    id: t.exposeID('id', { description: 'Of the post, also when it is gone.' }),
    post: t.field({
      type: PostRef,
      nullable: true,
      description: 'The post when this was sent. Null: it is gone.',
      resolve: (update) => update.subject,
    }),
  }),
});

builder.subscriptionField('postUpdated', (t) =>
  t.field({
    type: PostUpdate,
    nullable: true,
    description: `Every change of the project's posts, or of one post. With an id and without \`after\`
the first message is the present state, so that creating and then subscribing misses nothing.`,
    complexity: operationCost,
    args: {
      id: t.arg.id({ description: 'Only this post.' }),
      after: t.arg.string({
        description: 'A `cursor` of an earlier message: every change since comes first.',
      }),
    },
    subscribe: (_, { id, after }, graphql) =>
      openUpdates<Post>(graphql, {
        scope: 'posts:read',
        filter: { subject: 'post', subjectId: id ?? undefined },
        after,
        readSubject: graphql.subjects.post,
        ...(id === null || id === undefined
          ? {}
          : { getPresent: (context, caller) => getPost(context, caller, readId('post', id)) }),
      }),
    resolve: showUpdate,
  }),
);
