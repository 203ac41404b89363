// The REST routes of posts.
import { z } from 'zod';
import {
  CancelPosts,
  ChangedPost,
  CreatedPost,
  CreatePosts,
  CreatePostsQuery,
  DeletePosts,
  UpdatePosts,
} from '../../schema/posts/bulk.ts';
import {
  CreatePost,
  Post,
  PostIssue,
  PostResult,
  PostValidation,
} from '../../schema/posts/posts.ts';
import { ExportPosts, ListPosts, PostCount, PostPageMeta } from '../../schema/posts/listing.ts';
import { CountByDay } from '../../schema/wire/counts.ts';
import { fixedLimits } from '../../schema/wire/limits.ts';
import {
  csvFile,
  del,
  get,
  list,
  listWithMeta,
  one,
  patch,
  post,
  removedOrRemoving,
  written,
  writtenWithWarnings,
} from '../http/route.ts';
import { validatePost } from './checks/check-post.ts';
import { cancelPosts, deletePosts, updatePosts } from './bulk/change-posts.ts';
import { createPosts } from './bulk/create-posts.ts';
import { postsAsCsv } from './bulk/csv-posts.ts';
import { listQuery } from '../../schema/wire/listing.ts';
import { PostAttempt } from '../../schema/posts/attempts.ts';
import { DeletePost, UpdatePost } from '../../schema/posts/changes.ts';
import { UpdateResult } from '../../schema/posts/result-changes.ts';
import { markResultUnpublished, unpublishResult } from './changes/unpublish-result.ts';
import { updateResult } from './changes/update-result.ts';
import { cancelPost } from './cancel-post.ts';
import { createPost } from './create-post.ts';
import { deletePost, type Deletion } from './delete-post.ts';
import { duplicatePost } from './duplicate-post.ts';
import { listAttempts } from './list-attempts.ts';
import { listPostCounts } from './listing/count-posts.ts';
import { exportedColumns, exportPosts } from './listing/export-posts.ts';
import { listPosts } from './listing/list-posts.ts';
import { getPost } from './read-posts.ts';
import { publishPost } from './publish-post.ts';
import { retryResult } from './retry-result.ts';
import { updatePost } from './update-post.ts';

const ofChanges =
  '`data` has one item per post: the status that a request for it alone would return, with the post or the error. With an `Idempotency-Key`, a repeat does only what is left. Each post counts as a request of the rate limit.';

export const postRoutes = [
  post('/v1/posts', {
    name: 'createPost',
    summary: 'Create a post',
    description:
      'Publishes a post to one or more accounts, schedules it or keeps it as a draft. Returns 202 if the post is being published, and 201 if it is scheduled or a draft. Anything but a draft also requires the scope `posts:write`.',
    scope: 'posts:draft',
    body: CreatePost,
    idempotencyKey: (body) => body.idempotency_key,
    answersRepeats: true,
    location: ({ data }) => `/v1/posts/${data.id}`,
    answer: writtenWithWarnings([201, 202], Post, PostIssue),
    run: ({ context, caller, body }) => createPost(context, caller, body),
  }),

  post('/v1/posts/validate', {
    name: 'validatePost',
    summary: 'Validate a post',
    description:
      'Checks the post as `POST /v1/posts` would, without creating it. A malformed request, such as one with unknown fields or wrong types, returns `validation_error` or `malformed_json` as usual.',
    scope: 'posts:draft',
    body: CreatePost,
    answer: one(PostValidation),
    run: ({ context, caller, body }) => validatePost(context, caller, body),
  }),

  post('/v1/posts/bulk', {
    name: 'createPosts',
    summary: 'Create several posts',
    description:
      'Each post is accepted or refused on its own. `data` has one item per post: the status that creating it alone would return, with the post or the error. With an `Idempotency-Key`, a repeat creates only the posts that do not exist yet. Each post counts as a request of the rate limit. As CSV, each row below the header is a post, and the path `rows[3].caption` of an issue is the column `caption` of row 3.',
    scope: 'posts:write',
    query: CreatePostsQuery,
    body: CreatePosts,
    csv: postsAsCsv,
    bodyTimes: fixedLimits.bulkBodyTimes,
    answersRepeats: true,
    answer: written(200, z.array(CreatedPost)),
    run: ({ context, caller, query, body }) => createPosts(context, caller, { ...body, ...query }),
  }),

  post('/v1/posts/bulk/cancel', {
    name: 'cancelPosts',
    summary: 'Cancel several posts',
    description: `Each post is canceled or refused on its own, in order. ${ofChanges}`,
    scope: 'posts:write',
    body: CancelPosts,
    answersRepeats: true,
    answer: written(200, z.array(ChangedPost)),
    run: ({ context, caller, body }) => cancelPosts(context, caller, body),
  }),

  post('/v1/posts/bulk/delete', {
    name: 'deletePosts',
    summary: 'Delete several posts',
    description: `Each post is deleted or refused on its own, in order, as \`DELETE /v1/posts/:id\` would. ${ofChanges}`,
    scope: 'posts:write',
    body: DeletePosts,
    answersRepeats: true,
    answer: written(200, z.array(ChangedPost)),
    run: ({ context, caller, body }) => deletePosts(context, caller, body),
  }),

  post('/v1/posts/bulk/update', {
    name: 'updatePosts',
    summary: 'Update several posts',
    description: `Each post is changed or refused on its own, in order, as \`PATCH /v1/posts/:id\` would. ${ofChanges}`,
    scope: 'posts:write',
    body: UpdatePosts,
    bodyTimes: fixedLimits.bulkBodyTimes,
    answersRepeats: true,
    answer: written(200, z.array(ChangedPost)),
    run: ({ context, caller, body }) => updatePosts(context, caller, body),
  }),

  get('/v1/posts', {
    name: 'listPosts',
    summary: 'List posts',
    description:
      'Filters apply together. Intervals include their start and exclude their end. A post that is added or moved while you read pages never hides another one.',
    scope: 'posts:read',
    query: ListPosts,
    answer: listWithMeta(Post, PostPageMeta),
    run: ({ context, caller, query }) => listPosts(context, caller, query),
  }),

  get('/v1/posts.csv', {
    name: 'exportPosts',
    summary: 'Export posts as CSV',
    description:
      'All posts that match the filters of `GET /v1/posts`, one row for each. A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets an apostrophe in front, so that a spreadsheet shows it as text. If the export fails on the way, the connection is cut, so a complete file has ended properly.',
    scope: 'posts:read',
    query: ExportPosts,
    answer: csvFile('posts.csv', exportedColumns),
    run: ({ context, caller, query }) => exportPosts(context, caller, query),
  }),

  get('/v1/posts/counts', {
    name: 'listPostCounts',
    summary: 'Count posts by day and status',
    description:
      'A post counts on the day of its scheduled time, or of its publication if it has none. Posts with neither are left out, and so are days without posts.',
    scope: 'posts:read',
    query: CountByDay,
    answer: list(PostCount),
    run: ({ context, caller, query }) => listPostCounts(context, caller, query),
  }),

  get('/v1/posts/:id', {
    name: 'getPost',
    summary: 'Get a post with its results',
    scope: 'posts:read',
    answer: one(Post),
    run: ({ context, caller, params }) => getPost(context, caller, params.id),
  }),

  patch('/v1/posts/:id', {
    name: 'updatePost',
    summary: 'Update a post',
    description:
      'The post must be a draft or scheduled. A new `scheduled_at` schedules or reschedules it. Anything but a change of a draft that stays one also requires the scope `posts:write`.',
    scope: 'posts:draft',
    body: UpdatePost,
    answer: writtenWithWarnings([200], Post, PostIssue),
    run: ({ context, caller, params, body }) => updatePost(context, caller, params.id, body),
  }),

  del('/v1/posts/:id', {
    name: 'deletePost',
    summary: 'Delete a post',
    description:
      'Deletes only the record. Published posts stay on their networks, and the header `Fanfare-Still-Public` has their number. With `unpublish`, they are removed first: the request returns 202, and the record is deleted once no target is public. If a removal fails, the record stays. A post that is being published or changed cannot be deleted.',
    scope: 'posts:write',
    query: DeletePost,
    answer: removedOrRemoving<Deletion>(),
    location: (_, { id }) => `/v1/posts/${id}`,
    stillPublic: ({ data }) => data.stillPublic,
    run: ({ context, caller, params, query }) => deletePost(context, caller, params.id, query),
  }),

  post('/v1/posts/:id/publish', {
    name: 'publishPost',
    summary: 'Publish a post now',
    description:
      'The post must be a draft or scheduled. Its content is checked again. In issues, `platform_posts` are the targets in the order of the results.',
    scope: 'posts:write',
    location: ({ data }) => `/v1/posts/${data.id}`,
    answer: writtenWithWarnings([202], Post, PostIssue),
    run: ({ context, caller, params }) => publishPost(context, caller, params.id),
  }),

  post('/v1/posts/:id/duplicate', {
    name: 'duplicatePost',
    summary: 'Copy a post into a new draft',
    description:
      'Copies the text, media, targets with their options, metadata and labels of a post in any status. The draft has no times, and no options that a creator decides for each post, such as `privacy_level` and `consent` at TikTok. `warnings` name what it lacks, such as media that were deleted since. In issues, `platform_posts` are the targets in the order of the results.',
    scope: 'posts:draft',
    location: ({ data }) => `/v1/posts/${data.id}`,
    answer: writtenWithWarnings([201], Post, PostIssue),
    run: ({ context, caller, params }) => duplicatePost(context, caller, params.id),
  }),

  post('/v1/posts/:id/cancel', {
    name: 'cancelPost',
    summary: 'Cancel a post',
    description:
      'Cancels the targets that have not been sent yet. Returns `conflict` if there are none.',
    scope: 'posts:write',
    answer: written(200, Post),
    run: ({ context, caller, params }) => cancelPost(context, caller, params.id),
  }),

  post('/v1/posts/:id/results/:result_id/retry', {
    name: 'retryResult',
    summary: 'Retry a target',
    description:
      'Publishes a failed target again, or its first comment if only that failed. The post is pending until the target has ended. Then it gets a new status and a new event.',
    scope: 'posts:write',
    location: (_, { id }) => `/v1/posts/${id}`,
    answer: written(202, PostResult),
    run: ({ context, caller, params }) => retryResult(context, caller, params.id, params.result_id),
  }),

  patch('/v1/posts/:id/results/:result_id', {
    name: 'updateResult',
    summary: 'Edit a published target',
    description:
      'Edits the post at its network, where the network allows it: `after_publishing` in the capabilities lists the fields. `changes` of the result shows how the edit ends. A target has one change at a time.',
    scope: 'posts:write',
    body: UpdateResult,
    location: (_, { id }) => `/v1/posts/${id}`,
    answer: written(202, PostResult),
    run: ({ context, caller, params, body }) =>
      updateResult(context, caller, params.id, params.result_id, body),
  }),

  post('/v1/posts/:id/results/:result_id/unpublish', {
    name: 'unpublishResult',
    summary: 'Remove a published target from its network',
    description:
      "Removes the target's post and its first comment, where the network allows it. With the ID of a first comment, removes only that. A thread is removed from its last part. The status of the post and the usage of the account don't change. `changes` of the result shows how the removal ends.",
    scope: 'posts:write',
    location: (_, { id }) => `/v1/posts/${id}`,
    answer: written(202, PostResult),
    run: ({ context, caller, params }) =>
      unpublishResult(context, caller, params.id, params.result_id),
  }),

  post('/v1/posts/:id/results/:result_id/mark-unpublished', {
    name: 'markResultUnpublished',
    summary: 'Record that a published target was removed by hand',
    description:
      "For a target that Fanfare can't remove, or failed to remove. For any other target, the request returns `conflict`: unpublish it, which also succeeds if the post is gone.",
    scope: 'posts:write',
    answer: written(200, PostResult),
    run: ({ context, caller, params }) =>
      markResultUnpublished(context, caller, params.id, params.result_id),
  }),

  get('/v1/posts/:id/results/:result_id/attempts', {
    name: 'listAttempts',
    summary: 'List the attempts of a target or a first comment',
    description:
      'Each attempt is a call to the network. Newest first. Token refreshes are not included.',
    scope: 'posts:read',
    query: listQuery({}),
    answer: list(PostAttempt),
    run: ({ context, caller, params, query }) =>
      listAttempts(context, caller, { id: params.id, resultId: params.result_id }, query),
  }),
];
