// Creating, validating, changing and publishing posts, in GraphQL.
import { DeletePost, UpdatePost } from '../../../schema/posts/changes.ts';
import { CreatePost, NewPostStatus, type PostValidation } from '../../../schema/posts/posts.ts';
import { QueuePosition } from '../../../schema/posts/queue-position.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { deleted, mutationOf } from '../../graphql/mutations.ts';
import { check, readId } from '../../graphql/operation.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { UpdateResult } from '../../../schema/posts/result-changes.ts';
import { cancelPost } from '../cancel-post.ts';
import { markResultUnpublished, unpublishResult } from '../changes/unpublish-result.ts';
import { updateResult } from '../changes/update-result.ts';
import { validatePost } from '../checks/check-post.ts';
import { createPost } from '../create-post.ts';
import { deletePost } from '../delete-post.ts';
import { duplicatePost } from '../duplicate-post.ts';
import { publishPost } from '../publish-post.ts';
import { retryResult } from '../retry-result.ts';
import { updatePost } from '../update-post.ts';
import { PlatformOptionsInput } from '../../platforms/options-graphql.ts';
import { PostIssueRef, PostRef, PostResultRef } from './shapes.ts';

const PostMediaInput = builder.inputType('PostMediaInput', {
  fields: (t) => ({
    id: t.id(),
    url: t.string(),
    altText: t.string(),
    thumbnailId: t.id(),
    thumbnailAtMs: t.int(),
  }),
});

const PlatformPostInput = builder.inputType('PlatformPostInput', {
  fields: (t) => ({
    accountId: t.id({ required: true }),
    caption: t.string(),
    media: t.field({ type: [PostMediaInput] }),
    mediaIds: t.idList(),
    mediaUrls: t.stringList(),
    threadPosition: t.int(),
    firstComment: t.string(),
    inReplyTo: t.string(),
    platformOptions: t.field({
      type: PlatformOptionsInput,
      description:
        "Options of the account's network. The account's defaults add those that are missing. An option that is null has no value, and no default either.",
    }),
  }),
});

const PostScheduleInput = builder.inputType('PostScheduleInput', {
  fields: (t) => ({
    local: t.string({ required: true }),
    timezone: t.string({ required: true }),
  }),
});

const NewPostStatusRef = wordEnum(NewPostStatus);
const QueuePositionRef = wordEnum(QueuePosition);

/** A change has the fields of a new post, except its key. */
function postInput(name: 'CreatePostInput' | 'UpdatePostInput' | 'PostToUpdateInput') {
  return builder.inputType(name, {
    fields: (t) => ({
      ...(name === 'PostToUpdateInput' && { id: t.id({ required: true }) }),
      caption: t.string(),
      accountIds: t.idList(),
      platformPosts: t.field({ type: [PlatformPostInput] }),
      media: t.field({ type: [PostMediaInput] }),
      mediaIds: t.idList(),
      mediaUrls: t.stringList(),
      autoFit: t.boolean(),
      metadata: t.field({ type: 'JSON' }),
      labels: t.stringList(),
      scheduledAt: t.field({ type: 'DateTime' }),
      schedule: t.field({ type: PostScheduleInput }),
      publishBy: t.field({ type: 'DateTime' }),
      queueId: t.id(),
      queuePosition: t.field({ type: QueuePositionRef }),
      status: t.field({ type: NewPostStatusRef }),
      ...(name === 'CreatePostInput' && { idempotencyKey: t.string() }),
    }),
  });
}

export const CreatePostInput = postInput('CreatePostInput');
const UpdatePostInput = postInput('UpdatePostInput');
export const PostToUpdateInput = postInput('PostToUpdateInput');

mutationOf('createPost', {
  type: PostRef,
  scope: 'posts:draft',
  description:
    'Create a post. Publishes it now, schedules it or keeps it as a draft. Anything but a draft also requires the scope `posts:write`.',
  input: CreatePostInput,
  schema: CreatePost,
  answersRepeats: true,
  run: (context, caller, input, { names }) => createPost(context, caller, input, names),
});

mutationOf('updatePost', {
  type: PostRef,
  scope: 'posts:draft',
  resource: 'post',
  input: UpdatePostInput,
  schema: UpdatePost,
  takesKey: true,
  run: (context, caller, changes, { id, names }) => updatePost(context, caller, id, changes, names),
});

mutationOf('publishPost', {
  type: PostRef,
  scope: 'posts:write',
  resource: 'post',
  takesKey: true,
  run: (context, caller, _, { id, names }) => publishPost(context, caller, id, names),
});

mutationOf('duplicatePost', {
  type: PostRef,
  scope: 'posts:draft',
  resource: 'post',
  takesKey: true,
  run: (context, caller, _, { id, names }) => duplicatePost(context, caller, id, names),
});

mutationOf('cancelPost', {
  type: PostRef,
  scope: 'posts:write',
  resource: 'post',
  takesKey: true,
  run: (context, caller, _, { id }) => cancelPost(context, caller, id),
});

mutationOf('deletePost', {
  type: 'ID',
  scope: 'posts:write',
  resource: 'post',
  description:
    'Delete a post. Deletes only the record. Published posts stay on their networks. With `unpublish`, they are removed first, and the record is deleted once no target is public, so the post can still be read after this answer. If a removal fails, the record stays. A post that is being published or changed cannot be deleted.',
  args: builder.args((t) => ({ unpublish: t.boolean() })),
  query: DeletePost,
  run: (context, caller, _, { id, args }) =>
    deleted(deletePost(context, caller, id, { unpublish: args.unpublish === true }), id),
});

const resultArguments = builder.args((t) => ({
  postId: t.id({ required: true, description: 'ID of the post.' }),
  resultId: t.id({ required: true, description: 'ID of the result.' }),
}));

mutationOf('retryResult', {
  type: PostResultRef,
  scope: 'posts:write',
  args: resultArguments,
  takesKey: true,
  run: (context, caller, _, { args }) =>
    retryResult(context, caller, readId('post', args.postId), readId('result', args.resultId)),
});

const EditedMediaInput = builder.inputType('EditedMediaInput', {
  fields: (t) => ({ id: t.id({ required: true }), altText: t.string() }),
});

const UpdateResultInput = builder.inputType('UpdateResultInput', {
  fields: (t) => ({
    caption: t.string(),
    platformOptions: t.field({ type: PlatformOptionsInput }),
    media: t.field({ type: [EditedMediaInput] }),
  }),
});

mutationOf('updateResult', {
  type: PostResultRef,
  scope: 'posts:write',
  args: resultArguments,
  input: UpdateResultInput,
  schema: UpdateResult,
  takesKey: true,
  run: (context, caller, changes, { args }) =>
    updateResult(
      context,
      caller,
      readId('post', args.postId),
      readId('result', args.resultId),
      changes,
    ),
});

mutationOf('unpublishResult', {
  type: PostResultRef,
  scope: 'posts:write',
  args: resultArguments,
  takesKey: true,
  run: (context, caller, _, { args }) =>
    unpublishResult(context, caller, readId('post', args.postId), readId('result', args.resultId)),
});

mutationOf('markResultUnpublished', {
  type: PostResultRef,
  scope: 'posts:write',
  args: resultArguments,
  takesKey: true,
  run: (context, caller, _, { args }) =>
    markResultUnpublished(
      context,
      caller,
      readId('post', args.postId),
      readId('result', args.resultId),
    ),
});

const PostValidationRef = builder.objectRef<PostValidation>('PostValidation').implement({
  fields: (t) => ({
    valid: t.exposeBoolean('valid'),
    errors: t.expose('errors', { type: [PostIssueRef] }),
    warnings: t.expose('warnings', { type: [PostIssueRef] }),
  }),
});

builder.queryField('validatePost', (t) =>
  t.field({
    type: PostValidationRef,
    nullable: true,
    complexity: operationCost,
    args: { input: t.arg({ type: CreatePostInput, required: true }) },
    resolve: (_, args, graphql, info) =>
      check(graphql, { scope: 'posts:draft', schema: CreatePost, args, info }, validatePost),
  }),
);
