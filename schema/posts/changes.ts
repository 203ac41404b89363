// Changes to a post that is not being published yet.
import { z } from 'zod';
import { CreatePost } from './posts.ts';
import { PostScheduleInput } from './schedule.ts';
import { queryFlag } from '../wire/shared-fields.ts';
import { someChange } from '../wire/some-change.ts';
import { GivenTime } from '../wire/timestamp.ts';

const { caption, account_ids, platform_posts, metadata, labels, status } = CreatePost.shape;
const { queue_position } = CreatePost.shape;
const { media, media_ids, media_urls, auto_fit } = CreatePost.shape;

/** `updatePost` checks the changed post as a whole, like a new one. */
export const UpdatePost = someChange(
  z.strictObject({
    caption: caption.unwrap().optional().meta({ description: 'Text for every target.' }),
    account_ids: account_ids.meta({
      description: 'IDs of the connected accounts to publish to. Replaces all targets.',
    }),
    platform_posts: platform_posts.meta({
      description: 'Targets with content of their own. Replaces all targets.',
    }),
    media: media.meta({ description: 'Media for every target, in order. Replaces all of them.' }),
    media_ids,
    media_urls,
    auto_fit: auto_fit.meta({
      description: 'Whether images that a network would refuse are resized or re-encoded for it.',
    }),
    metadata: metadata.unwrap().optional().meta({
      description: 'Your own key-value pairs. Replaces all of them.',
    }),
    labels: labels.unwrap().optional().meta({
      description: 'Your own labels. Replaces all of them.',
    }),
    scheduled_at: GivenTime.nullable().optional().meta({
      description:
        'Time to publish the post. Schedules a draft. Null removes the time and makes a scheduled post a draft.',
    }),
    schedule: PostScheduleInput.nullable().optional().meta({
      description:
        'Time to publish the post in a time zone, instead of `scheduled_at`. Null removes the time, too.',
    }),
    queue_id: z.string().optional().meta({
      description:
        "ID of the queue whose slot the post takes, instead of a time. Schedules a draft, unless `status` keeps it one. The targets must be among the queue's accounts.",
    }),
    queue_position,
    publish_by: GivenTime.nullable().optional().meta({
      description:
        'Deadline of the post. A target that could not be sent by then fails. Null removes it.',
    }),
    status: status.meta({
      description:
        'Makes a scheduled post a draft. With `scheduled_at`, a draft keeps the time and stays a draft.',
    }),
  }),
).meta({ id: 'UpdatePost', description: 'Changes to a post. Omitted fields stay as they are.' });
export type UpdatePost = z.infer<typeof UpdatePost>;

export const DeletePost = z.strictObject({
  unpublish: queryFlag(
    'Whether to remove the published targets from their networks before the record is deleted.',
  ),
});
export type DeletePost = z.infer<typeof DeletePost>;
