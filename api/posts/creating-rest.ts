// The REST routes that create several posts, or tell whether one could be.
import { z } from 'zod';
import { CreatedPost, CreatePosts } from '../../schema/posts/bulk.ts';
import { CreatePost, PostVerdict } from '../../schema/posts/posts.ts';
import { one, post, written } from '../http/route.ts';
import { validatePost } from './checks/check-post.ts';
import { createPosts } from './create-posts.ts';

export const postCreatingRoutes = [
  post('/v1/posts/validate', {
    name: 'validatePost',
    summary: 'Check a post without creating it',
    description: `Creation runs the same checks and refuses what this calls an error. What is no post of
this form at all (a field that is unknown, of a wrong type or out of its range, a body that is not
JSON) is refused here as everywhere: with \`validation_error\` or \`malformed_json\`, not with a verdict.`,
    scope: 'posts:write',
    body: CreatePost,
    answer: one(PostVerdict),
    run: ({ context, caller, body }) => validatePost(context, caller, body),
  }),

  post('/v1/posts/bulk', {
    name: 'createPosts',
    summary: 'Create several posts, each by itself',
    description: `Each item of \`data\` is what creating that post alone would have answered: its status with
the post, or with the error. What refuses one leaves the others alone. With an Idempotency-Key
the whole can be repeated, also when the answer was lost half way: what was created is not
created again.`,
    scope: 'posts:write',
    body: CreatePosts,
    answer: written(200, z.array(CreatedPost)),
    run: ({ context, caller, body }) => createPosts(context, caller, body),
  }),
];
