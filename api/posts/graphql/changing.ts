// Changing, publishing, canceling, deleting and retrying posts, in GraphQL.
import { UpdatePost } from '../../../schema/posts/changes.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { readId, write } from '../../graphql/operation.ts';
import { idArguments, idempotencyArguments, noInput } from '../../graphql/shapes.ts';
import { cancelPost } from '../cancel-post.ts';
import { NewPostStatusRef, PlatformPostInput } from './creating.ts';
import { deletePost } from '../delete-post.ts';
import { publishPost } from '../publish-post.ts';
import { retryResult } from '../retry-result.ts';
import { PostRef, PostResultRef } from './shapes.ts';
import { updatePost } from '../update-post.ts';

const UpdatePostInput = builder.inputType('UpdatePostInput', {
  fields: (t) => ({
    caption: t.string(),
    accountIds: t.idList({ description: 'Replaces all targets; or give `platformPosts`.' }),
    platformPosts: t.field({ type: [PlatformPostInput], description: 'Replaces all targets.' }),
    mediaUrls: t.stringList(),
    metadata: t.field({ type: 'JSON', description: 'Pairs of strings; replaces all of them.' }),
    scheduledAt: t.field({
      type: 'DateTime',
      description: 'A draft is scheduled by it. Null: no time; a scheduled post becomes a draft.',
    }),
    status: t.field({
      type: NewPostStatusRef,
      description: 'A scheduled post becomes a draft; a draft that is given a time stays one.',
    }),
  }),
});

const postArguments = { ...idArguments, ...idempotencyArguments };
const noInputWrite = { scope: 'posts:write', schema: noInput } as const;

builder.mutationFields((t) => ({
  updatePost: t.field({
    type: PostRef,
    nullable: true,
    description: 'Changes a draft or a scheduled post, schedules it or reschedules it.',
    complexity: operationCost,
    args: { ...idArguments, input: t.arg({ type: UpdatePostInput, required: true }) },
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'posts:write', schema: UpdatePost, args, info },
        (context, caller, changes) => updatePost(context, caller, readId('post', args.id), changes),
      ),
  }),
  publishPost: t.field({
    type: PostRef,
    nullable: true,
    description: 'Publishes a draft or a scheduled post now.',
    complexity: operationCost,
    args: postArguments,
    resolve: (_, args, graphql, info) =>
      write(graphql, { ...noInputWrite, args, info }, (context, caller) =>
        publishPost(context, caller, readId('post', args.id)),
      ),
  }),
  cancelPost: t.field({
    type: PostRef,
    nullable: true,
    description: 'Cancels a post, or those of its targets that have not been sent yet.',
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
    description:
      'Deletes the record of a post that is not being published; what is public stays. Answers its id.',
    complexity: operationCost,
    args: idArguments,
    resolve: (_, args, graphql, info) =>
      write(graphql, { ...noInputWrite, args, info }, async (context, caller) => {
        const { status } = await deletePost(context, caller, readId('post', args.id));
        return { status, data: args.id };
      }),
  }),
  retryResult: t.field({
    type: PostResultRef,
    nullable: true,
    description: 'Publishes a failed target again, or its first comment where only that failed.',
    complexity: operationCost,
    args: {
      postId: t.arg.id({ required: true }),
      resultId: t.arg.id({ required: true }),
      ...idempotencyArguments,
    },
    resolve: (_, args, graphql, info) =>
      write(graphql, { ...noInputWrite, args, info }, (context, caller) =>
        retryResult(context, caller, readId('post', args.postId), readId('result', args.resultId)),
      ),
  }),
}));
