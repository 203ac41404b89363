// Changing, publishing, canceling, deleting and retrying posts, in GraphQL.
import { UpdatePost } from '../../../schema/posts/changes.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { namesAt } from '../../graphql/input.ts';
import { inInput, readId, write } from '../../graphql/operation.ts';
import { idArguments, idempotencyArguments, noInput } from '../../graphql/shapes.ts';
import { cancelPost } from '../cancel-post.ts';
import { NewPostStatusRef, PlatformPostInput, PostMediaInputRef } from './creating.ts';
import { deletePost } from '../delete-post.ts';
import { publishPost } from '../publish-post.ts';
import { retryResult } from '../retry-result.ts';
import { PostRef, PostResultRef } from './shapes.ts';
import { updatePost } from '../update-post.ts';

const UpdatePostInput = builder.inputType('UpdatePostInput', {
  fields: (t) => ({
    caption: t.string(),
    accountIds: t.idList(),
    platformPosts: t.field({ type: [PlatformPostInput] }),
    media: t.field({ type: [PostMediaInputRef] }),
    mediaIds: t.idList(),
    mediaUrls: t.stringList(),
    autoFit: t.boolean(),
    metadata: t.field({ type: 'JSON' }),
    scheduledAt: t.field({ type: 'DateTime' }),
    status: t.field({ type: NewPostStatusRef }),
  }),
});

const postArguments = { ...idArguments('post'), ...idempotencyArguments };
const noInputWrite = { scope: 'posts:write', schema: noInput } as const;

builder.mutationFields((t) => ({
  updatePost: t.field({
    type: PostRef,
    nullable: true,
    complexity: operationCost,
    args: { ...idArguments('post'), input: t.arg({ type: UpdatePostInput, required: true }) },
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'posts:write', schema: UpdatePost, args, info },
        (context, caller, changes) => {
          const names = namesAt(inInput(args, info));
          return updatePost(context, caller, readId('post', args.id), changes, names);
        },
      ),
  }),
  publishPost: t.field({
    type: PostRef,
    nullable: true,
    complexity: operationCost,
    args: postArguments,
    resolve: (_, args, graphql, info) =>
      write(graphql, { ...noInputWrite, args, info }, (context, caller) =>
        publishPost(context, caller, readId('post', args.id), namesAt({})),
      ),
  }),
  cancelPost: t.field({
    type: PostRef,
    nullable: true,
    complexity: operationCost,
    args: postArguments,
    resolve: (_, args, graphql, info) =>
      write(graphql, { ...noInputWrite, args, info }, (context, caller) =>
        cancelPost(context, caller, readId('post', args.id)),
      ),
  }),
  deletePost: t.field({
    type: 'ID',
    nullable: true,
    complexity: operationCost,
    args: idArguments('post'),
    resolve: (_, args, graphql, info) =>
      write(graphql, { ...noInputWrite, args, info }, async (context, caller) => {
        const { status } = await deletePost(context, caller, readId('post', args.id));
        return { status, data: args.id };
      }),
  }),
  retryResult: t.field({
    type: PostResultRef,
    nullable: true,
    complexity: operationCost,
    args: {
      postId: t.arg.id({ required: true, description: 'ID of the post.' }),
      resultId: t.arg.id({ required: true, description: 'ID of the result.' }),
      ...idempotencyArguments,
    },
    resolve: (_, args, graphql, info) =>
      write(graphql, { ...noInputWrite, args, info }, (context, caller) =>
        retryResult(context, caller, readId('post', args.postId), readId('result', args.resultId)),
      ),
  }),
}));
