// Changing, publishing, canceling, deleting and retrying posts, in GraphQL.
import { UpdatePost } from '../../../schema/posts/changes.ts';
import { builder } from '../../graphql/builder.ts';
import { deleted, mutationOf } from '../../graphql/mutations.ts';
import { readId } from '../../graphql/operation.ts';
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

mutationOf('updatePost', {
  type: PostRef,
  scope: 'posts:write',
  resource: 'post',
  input: UpdatePostInput,
  schema: UpdatePost,
  run: (context, caller, changes, { id, names }) => updatePost(context, caller, id, changes, names),
});

mutationOf('publishPost', {
  type: PostRef,
  scope: 'posts:write',
  resource: 'post',
  takesKey: true,
  run: (context, caller, _, { id, names }) => publishPost(context, caller, id, names),
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
  run: (context, caller, _, { id }) => deleted(deletePost(context, caller, id), id),
});

mutationOf('retryResult', {
  type: PostResultRef,
  scope: 'posts:write',
  args: builder.args((t) => ({
    postId: t.id({ required: true, description: 'ID of the post.' }),
    resultId: t.id({ required: true, description: 'ID of the result.' }),
  })),
  takesKey: true,
  run: (context, caller, _, { args }) =>
    retryResult(context, caller, readId('post', args.postId), readId('result', args.resultId)),
});
