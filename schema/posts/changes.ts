// What a client may change about a post that has not begun.
import { z } from 'zod';
import { CreatePost } from './posts.ts';
import { someChange } from '../wire/some-change.ts';
import { GivenTime } from '../wire/timestamp.ts';

const { caption, account_ids, platform_posts, media_urls, metadata, status } = CreatePost.shape;

/** What stays must agree with what changes: `updatePost` checks the whole post like a new one. */
export const UpdatePost = someChange(
  z.strictObject({
    caption: caption.unwrap().optional(),
    account_ids: account_ids.meta({ description: 'Replaces all targets.' }),
    platform_posts: platform_posts.meta({ description: 'Replaces all targets.' }),
    media_urls: media_urls.unwrap().optional(),
    metadata: metadata.unwrap().optional(),
    scheduled_at: GivenTime.nullable().optional().meta({
      description: 'A draft is scheduled by it. Null: no time; a scheduled post becomes a draft.',
    }),
    status: status.meta({
      description: 'A scheduled post becomes a draft; a draft that is given a time stays one.',
    }),
  }),
).meta({ id: 'UpdatePost' });
export type UpdatePost = z.infer<typeof UpdatePost>;
