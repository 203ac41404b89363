// Several posts in one request, as the wire shows them.
import { z } from 'zod';
import { itemLike } from '../wire/checked-alone.ts';
import { ErrorObject } from '../wire/error-object.ts';
import { fixedLimits } from '../wire/limits.ts';
import { queryFlag } from '../wire/shared-fields.ts';
import { someChange } from '../wire/some-change.ts';
import { UpdatePost } from './changes.ts';
import { CreatePost, Post, PostIssue } from './posts.ts';

const most = fixedLimits.bulkPosts;

export const CreatePosts = z
  .strictObject({
    posts: z
      .array(itemLike('CreatePost', { body: CreatePost, method: 'post' }))
      .min(1)
      .max(most)
      .meta({
        description: `Posts to create, 1 to ${most}. Each is accepted or refused on its own.`,
      }),
  })
  .meta({ id: 'CreatePosts', description: 'Posts to create.' });
export type CreatePosts = z.infer<typeof CreatePosts>;

export const CreatePostsQuery = z.strictObject({
  dry_run: queryFlag(
    'Whether to check the posts without creating any. Each is checked as if it were the only one.',
  ),
});
export type CreatePostsQuery = z.infer<typeof CreatePostsQuery>;

const PostId = z.string().min(1);
const ids = (verb: string) =>
  z
    .array(PostId)
    .min(1)
    .max(most)
    .meta({ description: `IDs of the posts to ${verb}, 1 to ${most}, in this order.` });

export const CancelPosts = z
  .strictObject({ ids: ids('cancel') })
  .meta({ id: 'CancelPosts', description: 'Posts to cancel.' });
export type CancelPosts = z.infer<typeof CancelPosts>;

export const DeletePosts = z
  .strictObject({
    ids: ids('delete'),
    unpublish: z.boolean().optional().meta({
      description:
        'Whether to remove the published targets from their networks before each record is deleted. Default: false.',
    }),
  })
  .meta({ id: 'DeletePosts', description: 'Posts to delete.' });
export type DeletePosts = z.infer<typeof DeletePosts>;

export const PostToUpdate = someChange(
  z.strictObject({ id: PostId.meta({ description: 'ID of the post.' }), ...UpdatePost.shape }),
  ['id'],
).meta({
  id: 'PostToUpdate',
  description: 'A post and its changes. Omitted fields stay as they are.',
});
export type PostToUpdate = z.infer<typeof PostToUpdate>;

export const UpdatePosts = z
  .strictObject({
    posts: z
      .array(itemLike('PostToUpdate', { body: PostToUpdate, method: 'patch' }))
      .min(1)
      .max(most)
      .meta({
        description: `Posts to update, 1 to ${most}, in this order. Each is changed or refused on its own.`,
      }),
  })
  .meta({ id: 'UpdatePosts', description: 'Posts to update.' });
export type UpdatePosts = z.infer<typeof UpdatePosts>;

const warnings = z.array(PostIssue).optional().meta({
  description:
    'Issues that did not prevent the post, but may surprise you. Absent if it was refused.',
});

/** The response that creating the post alone would return: the post with its warnings, or an error. */
export const CreatedPost = z
  .object({
    status: z.int().meta({
      description:
        'HTTP status that creating the post alone would return, such as 201, 202 or 422.',
    }),
    post: Post.optional(),
    warnings,
    error: ErrorObject.optional(),
  })
  .meta({
    id: 'CreatedPost',
    description:
      'One post of a bulk request: `post` and `warnings` if it was created, `error` if it was refused. A dry run has no `post`.',
  });
export type CreatedPost = z.infer<typeof CreatedPost>;

export const ChangedPost = z
  .object({
    status: z.int().meta({
      description:
        'HTTP status that a request for the post alone would return, such as 200, 204, 404 or 409.',
    }),
    post: Post.optional(),
    warnings,
    error: ErrorObject.optional(),
  })
  .meta({
    id: 'ChangedPost',
    description:
      'One post of a bulk request: `post` if it was changed, `error` if it was refused. A deleted post has neither.',
  });
export type ChangedPost = z.infer<typeof ChangedPost>;
