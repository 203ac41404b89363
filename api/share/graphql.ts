// Review links in GraphQL.
import {
  CreateReviewLink,
  ReviewAction,
  type ReviewLink,
} from '../../schema/posts/review-links.ts';
import { builder } from '../graphql/builder.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { createReviewLink } from './operations.ts';

const ReviewActionRef = wordEnum(ReviewAction);

const ReviewLinkRef = builder.objectRef<ReviewLink>('ReviewLink').implement({
  fields: (t) => ({
    url: t.exposeString('url'),
    postId: t.exposeID('post_id'),
    socialAccountId: t.exposeID('social_account_id'),
    can: t.expose('can', { type: ReviewActionRef }),
    expiresAt: t.expose('expires_at', { type: 'DateTime' }),
  }),
});

const CreateReviewLinkInput = builder.inputType('CreateReviewLinkInput', {
  fields: (t) => ({ can: t.field({ type: ReviewActionRef, required: true }) }),
});

mutationOf('createReviewLink', {
  type: ReviewLinkRef,
  scope: 'posts:write',
  resource: 'post',
  input: CreateReviewLinkInput,
  schema: CreateReviewLink,
  takesKey: true,
  run: (context, caller, input, { id }) => createReviewLink(context, caller, id, input),
});
