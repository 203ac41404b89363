// Several posts in one request, as the wire shows them.
import { z } from 'zod';
import { ErrorObject } from './error-object.ts';
import { fixedLimits } from './limits.ts';
import { CreatePost, Post } from './posts.ts';

/** A post that is not of the form is let through as it came, to be refused by itself. */
const BulkPost = CreatePost.catch(({ input }) => input as CreatePost).meta({
  type: 'object',
  allOf: [{ $ref: '#/components/schemas/CreatePost' }],
});

export const CreatePosts = z
  .strictObject({ posts: z.array(BulkPost).min(1).max(fixedLimits.bulkPosts) })
  .meta({ id: 'CreatePosts' });
export type CreatePosts = z.infer<typeof CreatePosts>;

/** What creating it alone would have answered: the status, and the post or the error. */
export const CreatedPost = z
  .union([
    z.object({ status: z.int(), post: Post }),
    z.object({ status: z.int(), error: ErrorObject }),
  ])
  .meta({ id: 'CreatedPost' });
