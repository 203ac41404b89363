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

const status = z.int().meta({
  description: 'HTTP status that creating the post alone would return, such as 201, 202 or 422.',
});

const AcceptedPost = z
  .object({
    status,
    post: Post,
    warnings: z.array(PostIssue).meta({
      description: 'Issues that did not prevent the post, but may surprise you.',
    }),
  })
  .meta({ id: 'AcceptedPost', description: 'A post of a bulk request that was created.' });
const RefusedPost = z
  .object({ status, error: ErrorObject })
  .meta({ id: 'RefusedPost', description: 'A post of a bulk request that was refused.' });

/** The response that creating the post alone would return. */
export const CreatedPost = z
  .union([AcceptedPost, RefusedPost])
  .meta({ id: 'CreatedPost', description: 'One post of a bulk request: the post or an error.' });
