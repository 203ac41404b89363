// Parameters that the calls to the simulated Facebook may have.
import { z } from 'zod';
import { count, fields, flag, id, jsonOf, Listing, webUrl } from '../meta/requests.ts';

/** https://developers.facebook.com/docs/pages-api/posts */
export const NewPost = z
  .strictObject({
    message: z.string().min(1).max(63_206).optional(),
    link: webUrl.optional(),
    attached_media: jsonOf(z.array(jsonOf(z.strictObject({ media_fbid: id }))).min(1)).optional(),
    published: flag.default(true),
    fields,
  })
  .refine(
    ({ message, link, attached_media }) => message !== undefined || link || attached_media,
    'You must provide a message, a link or media',
  )
  .refine(({ link, attached_media }) => !link || !attached_media, 'A post has a link or media');

export const PostEdit = z.strictObject({ message: z.string().max(63_206) });

export const NewPhoto = z.strictObject({
  url: webUrl.optional(),
  caption: z.string().optional(),
  message: z.string().optional(),
  alt_text_custom: z.string().min(1).optional(),
  published: flag.default(true),
  temporary: flag.optional(),
  fields,
});

const video = { title: z.string().optional(), description: z.string().optional(), fields };

/** https://developers.facebook.com/docs/graph-api/reference/page/videos */
export const FeedVideo = z.discriminatedUnion('upload_phase', [
  z.strictObject({ upload_phase: z.literal('start'), file_size: count, fields }),
  z.strictObject({
    upload_phase: z.literal('transfer'),
    upload_session_id: id,
    start_offset: count,
    fields,
  }),
  z.strictObject({
    ...video,
    upload_phase: z.literal('finish'),
    upload_session_id: id,
    published: flag.default(true),
  }),
]);
/** Parameters of a video that is sent as a whole, without phases. */
export const WholeVideo = z.strictObject({
  ...video,
  file_url: webUrl.optional(),
  published: flag.default(true),
});

/** https://developers.facebook.com/docs/video-api/guides/reels-publishing */
export const Reel = z.discriminatedUnion('upload_phase', [
  z.strictObject({ upload_phase: z.literal('start'), fields }),
  z.strictObject({
    ...video,
    upload_phase: z.literal('finish'),
    video_id: id,
    video_state: z.enum(['PUBLISHED', 'DRAFT', 'SCHEDULED']),
    place: id.optional(),
  }),
]);

/** https://developers.facebook.com/docs/page-stories-api */
export const VideoStory = z.discriminatedUnion('upload_phase', [
  z.strictObject({ upload_phase: z.literal('start'), fields }),
  z.strictObject({ upload_phase: z.literal('finish'), video_id: id, fields }),
]);
export const PhotoStory = z.strictObject({ photo_id: id, fields });

/** https://developers.facebook.com/docs/pages-api/comments-mentions */
export const NewComment = z.strictObject({
  message: z.string().min(1).optional(),
  attachment_id: id.optional(),
  attachment_url: webUrl.optional(),
  fields,
});

export const Thumbnail = z.strictObject({ is_preferred: flag.default(false), fields });

export const PageListing = Listing.extend({
  until: jsonOf(z.number()).default(Infinity),
  order: z.enum(['chronological', 'reverse_chronological']).default('chronological'),
  filter: z.enum(['toplevel', 'stream']).optional(),
  status: z.enum(['PUBLISHED', 'ARCHIVED']).optional(),
  summary: flag.optional(),
});
