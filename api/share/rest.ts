// The REST route of review links.
import { CreateReviewLink, ReviewLink } from '../../schema/posts/review-links.ts';
import { post, written } from '../http/route.ts';
import { createReviewLink } from './operations.ts';

export const shareRoutes = [
  post('/v1/posts/:id/review-links', {
    name: 'createReviewLink',
    summary: 'Create a review link',
    description:
      'A link to a hosted page on which the creator at TikTok sees the post, chooses who sees it there, and publishes it, as the guidelines of TikTok demand. The post must be a draft or scheduled, with one target at TikTok. A draft may lack `privacy_level` and `consent`: the creator gives both on the page. The link works once, for 7 days.',
    scope: 'posts:write',
    body: CreateReviewLink,
    location: ({ data }) => `/v1/posts/${data.post_id}`,
    answer: written(201, ReviewLink),
    run: ({ context, caller, params, body }) => createReviewLink(context, caller, params.id, body),
  }),
];
