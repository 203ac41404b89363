// Several posts in one request, as the wire shows them.
import { z } from 'zod';
import { checkedAlone } from '../wire/checked-alone.ts';
import { ErrorObject } from '../wire/error-object.ts';
import { fixedLimits } from '../limits.ts';
import { Post } from './posts.ts';

const BulkPost = z
  .unknown()
  .meta({ type: 'object', allOf: [{ $ref: '#/components/schemas/CreatePost' }] })
  .register(checkedAlone, {});

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
