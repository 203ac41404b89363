// The REST routes of posts.
import { listQuery } from '../../schema/wire/listing.ts';
import { PostAttempt } from '../../schema/posts/attempts.ts';
import { UpdatePost } from '../../schema/posts/changes.ts';
import { CreatePost, ListPosts, Post, PostResult } from '../../schema/posts/posts.ts';
import { del, get, list, one, patch, post, removed, written } from '../http/route.ts';
import { cancelPost } from './cancel-post.ts';
import { createPost } from './create-post.ts';
import { deletePost } from './delete-post.ts';
import { listAttempts } from './list-attempts.ts';
import { getPost, listPosts } from './read-posts.ts';
import { publishPost } from './publish-post.ts';
import { retryResult } from './retry-result.ts';
import { updatePost } from './update-post.ts';

export const postRoutes = [
  post('/v1/posts', {
    name: 'createPost',
    summary: 'Publish to several accounts, now or at a time, or keep a draft',
    description: '202: it is being published. 201: it is a draft or scheduled.',
    scope: 'posts:write',
    body: CreatePost,
    idempotencyKey: (body) => body.idempotency_key,
    answer: written([201, 202], Post),
    run: ({ context, caller, body }) => createPost(context, caller, body),
  }),

  get('/v1/posts', {
    name: 'listPosts',
    summary: 'List the posts',
    scope: 'posts:read',
    query: ListPosts,
    answer: list(Post),
    run: ({ context, caller, query }) => listPosts(context, caller, query),
  }),

  get('/v1/posts/:id', {
    name: 'getPost',
    summary: 'Read a post with its results',
    scope: 'posts:read',
    answer: one(Post),
    run: ({ context, caller, params }) => getPost(context, caller, params.id),
  }),

  patch('/v1/posts/:id', {
    name: 'updatePost',
    summary: 'Change a draft or a scheduled post, schedule it or reschedule it',
    scope: 'posts:write',
    body: UpdatePost,
    answer: written(200, Post),
    run: ({ context, caller, params, body }) => updatePost(context, caller, params.id, body),
  }),

  del('/v1/posts/:id', {
    name: 'deletePost',
    summary: 'Delete the record of a post that is not being published',
    description: 'What is public stays on its network.',
    scope: 'posts:write',
    answer: removed,
    run: ({ context, caller, params }) => deletePost(context, caller, params.id),
  }),

  post('/v1/posts/:id/publish', {
    name: 'publishPost',
    summary: 'Publish a draft or a scheduled post now',
    description:
      'It is checked like a new one, and its faults are named by `platform_posts[…]`, in the order of its results.',
    scope: 'posts:write',
    answer: written(202, Post),
    run: ({ context, caller, params }) => publishPost(context, caller, params.id),
  }),

  post('/v1/posts/:id/cancel', {
    name: 'cancelPost',
    summary: 'Cancel a post, or those of its targets that have not been sent yet',
    description: '409: it is too late for every target.',
    scope: 'posts:write',
    answer: written(200, Post),
    run: ({ context, caller, params }) => cancelPost(context, caller, params.id),
  }),

  post('/v1/posts/:id/results/:result_id/retry', {
    name: 'retryResult',
    summary: 'Publish a failed target again, or its first comment where only that failed',
    description: 'The post is pending until the target has ended; then it concludes anew.',
    scope: 'posts:write',
    answer: written(202, PostResult),
    run: ({ context, caller, params }) => retryResult(context, caller, params.id, params.result_id),
  }),

  get('/v1/posts/:id/results/:result_id/attempts', {
    name: 'listAttempts',
    summary: 'List the calls to the network of a target or a comment, the newest first',
    description: 'Every call of a phase; refreshes of the access are none.',
    scope: 'posts:read',
    query: listQuery({}),
    answer: list(PostAttempt),
    run: ({ context, caller, params, query }) =>
      listAttempts(context, caller, { id: params.id, resultId: params.result_id }, query),
  }),
];
