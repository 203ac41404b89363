// Creating posts, in GraphQL.
import { fixedLimits } from '../../../schema/limits.ts';
import { CreatePost } from '../../../schema/posts/posts.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { write } from '../../graphql/operation.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { createPost } from '../create-post.ts';
import { PlatformOptionsInput } from './options.ts';
import { PostRef } from './shapes.ts';

export const PlatformPostInput = builder.inputType('PlatformPostInput', {
  description: 'A target with its own content.',
  fields: (t) => ({
    accountId: t.id({ required: true }),
    caption: t.string({ description: "Default: the post's." }),
    mediaUrls: t.stringList({ description: "Instead of the post's; an empty list: none." }),
    threadPosition: t.int({
      description: `Makes the targets of one account a thread, each a result of its own that answers
the one before. Counted from 0 or from 1, without holes.`,
    }),
    firstComment: t.string({
      description: 'Published as an answer to the post once that is public.',
    }),
    inReplyTo: t.string({
      description: 'The post that this one answers, by its id at the network: its `externalId`.',
    }),
    platformOptions: t.field({
      type: PlatformOptionsInput,
      description: "The network's own options.",
    }),
  }),
});

export const NewPostStatusRef = wordEnum('NewPostStatus', ['draft']);

export const CreatePostInput = builder.inputType('CreatePostInput', {
  fields: (t) => ({
    caption: t.string(),
    accountIds: t.idList({ description: 'Targets; or give `platformPosts`.' }),
    platformPosts: t.field({ type: [PlatformPostInput] }),
    mediaUrls: t.stringList({
      description: 'Absolute http(s) URLs, for every target without its own.',
    }),
    scheduledAt: t.field({
      type: 'DateTime',
      description: `At least 60 s ahead, at most ${fixedLimits.scheduleAheadDays} days. Without it the post is published now.`,
    }),
    status: t.field({ type: NewPostStatusRef }),
    metadata: t.field({ type: 'JSON', description: 'Pairs of strings, echoed in events.' }),
    idempotencyKey: t.string({
      description: 'The same input with the same key within 24 h gets the first answer again.',
    }),
  }),
});

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
