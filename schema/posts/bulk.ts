// Several posts in one request, as the wire shows them.
import { z } from 'zod';
import { checkedAlone } from '../wire/checked-alone.ts';
import { ErrorObject } from '../wire/error-object.ts';
import { fixedLimits } from '../wire/limits.ts';
import { Post, PostIssue } from './posts.ts';

const BulkPost = z
  .unknown()
  .meta({ type: 'object', allOf: [{ $ref: '#/components/schemas/CreatePost' }] })
  .register(checkedAlone, {});

export const CreatePosts = z
  .strictObject({
    posts: z
      .array(BulkPost)
      .min(1)
      .max(fixedLimits.bulkPosts)
      .meta({
        description: `Posts to create, 1 to ${fixedLimits.bulkPosts}. Each is accepted or refused on its own.`,
      }),
  })
  .meta({ id: 'CreatePosts', description: 'Posts to create.' });
export type CreatePosts = z.infer<typeof CreatePosts>;

/** The response that creating the post alone would return: the post with its warnings, or an error. */
export const CreatedPost = z
  .object({
    status: z.int().meta({
      description:
        'HTTP status that creating the post alone would return, such as 201, 202 or 422.',
    }),
    post: Post.optional(),
    warnings: z.array(PostIssue).optional().meta({
      description:
        'Issues that did not prevent the post, but may surprise you. Absent if it was refused.',
    }),
    error: ErrorObject.optional(),
  })
  .meta({
    id: 'CreatedPost',
    description:
      'One post of a bulk request: `post` and `warnings` if it was created, `error` if it was refused.',
  });
export type CreatedPost = z.infer<typeof CreatedPost>;
