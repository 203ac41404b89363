// Creating posts, in GraphQL.
import { CreatePost, NewPostStatus } from '../../../schema/posts/posts.ts';
import { builder } from '../../graphql/builder.ts';
import { mutationOf } from '../../graphql/mutations.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { createPost } from '../create-post.ts';
import { PlatformOptionsInput } from './options.ts';
import { PostRef } from './shapes.ts';

export const PostMediaInputRef = builder.inputType('PostMediaInput', {
  fields: (t) => ({
    id: t.id(),
    url: t.string(),
    altText: t.string(),
    thumbnailId: t.id(),
  }),
});

export const PlatformPostInput = builder.inputType('PlatformPostInput', {
  fields: (t) => ({
    accountId: t.id({ required: true }),
    caption: t.string(),
    media: t.field({ type: [PostMediaInputRef] }),
    mediaIds: t.idList(),
    mediaUrls: t.stringList(),
    threadPosition: t.int(),
    firstComment: t.string(),
    inReplyTo: t.string(),
    platformOptions: t.field({
      type: PlatformOptionsInput,
      description: "Options of the account's network.",
    }),
  }),
});

export const NewPostStatusRef = wordEnum(NewPostStatus);

export const CreatePostInput = builder.inputType('CreatePostInput', {
  fields: (t) => ({
    caption: t.string(),
    accountIds: t.idList(),
    platformPosts: t.field({ type: [PlatformPostInput] }),
    media: t.field({ type: [PostMediaInputRef] }),
    mediaIds: t.idList(),
    mediaUrls: t.stringList(),
    autoFit: t.boolean(),
    scheduledAt: t.field({ type: 'DateTime' }),
    status: t.field({ type: NewPostStatusRef }),
    metadata: t.field({ type: 'JSON' }),
    idempotencyKey: t.string(),
  }),
});

mutationOf('createPost', {
  type: PostRef,
  scope: 'posts:write',
  description: 'Create a post. Publishes it now, schedules it or keeps it as a draft.',
  input: CreatePostInput,
  schema: CreatePost,
  run: (context, caller, input, { names }) => createPost(context, caller, input, names),
});
