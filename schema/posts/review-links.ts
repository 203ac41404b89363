// Links to a hosted page on which a creator reviews a post, as the wire shows them.
import { z } from 'zod';
import { describedEnum } from '../wire/described-enum.ts';
import { Timestamp } from '../wire/timestamp.ts';

const dayMs = 86_400_000;
/** How long a link can be used. */
export const reviewLinkMs = 7 * dayMs;

export const ReviewAction = describedEnum('ReviewAction', 'What a reviewer can do.', {
  publish: 'Choose who sees the post at TikTok, and publish it.',
});
export type ReviewAction = z.infer<typeof ReviewAction>;

export const CreateReviewLink = z
  .strictObject({
    can: ReviewAction.meta({ description: 'What the user who opens the link can do.' }),
  })
  .meta({ id: 'CreateReviewLink', description: 'A link to create.' });
export type CreateReviewLink = z.infer<typeof CreateReviewLink>;

export const ReviewLink = z
  .object({
    url: z.string().meta({
      description:
        'URL of the hosted page. Anyone with the URL can publish the post, so give it only to the creator. Shown only once.',
    }),
    post_id: z.string().meta({ description: 'ID of the post.' }),
    social_account_id: z.string().meta({ description: 'ID of the TikTok account of the post.' }),
    can: ReviewAction,
    expires_at: Timestamp.meta({ description: 'Time when the link expires.' }),
  })
  .meta({
    id: 'ReviewLink',
    description: 'A link to a hosted page on which a creator reviews a post and publishes it.',
  });
export type ReviewLink = z.infer<typeof ReviewLink>;
