// The REST routes of posts.
import { CreatePost, ListPosts, Post } from '../../schema/posts.ts';
import { get, list, one, post, written } from '../route.ts';
import { createPost } from './create-post.ts';
import { getPost, listPosts } from './operations.ts';

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
];
