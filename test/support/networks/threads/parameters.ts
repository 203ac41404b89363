// Parameters that a container of the simulated Threads may have. By
// https://developers.facebook.com/docs/threads/reference/publishing and
// https://developers.facebook.com/docs/threads/posts, read on 2026-11-26. Stricter than Threads: it refuses a
// parameter that it doesn't know.
import { z } from 'zod';
import { flag, id, jsonOf, webUrl, type Parameters } from '../meta/requests.ts';
import { apiError } from './refusals.ts';

const PollText = z.string().min(1).max(25);
const Poll = z.strictObject({
  option_a: PollText,
  option_b: PollText,
  option_c: PollText.optional(),
  option_d: PollText.optional(),
});

const NewContainer = z
  .strictObject({
    media_type: z.enum(['TEXT', 'IMAGE', 'VIDEO', 'CAROUSEL']),
    text: z.string().optional(),
    image_url: webUrl.optional(),
    video_url: webUrl.optional(),
    is_carousel_item: flag.optional(),
    children: z
      .string()
      .transform((given) => given.split(','))
      .optional(),
    reply_to_id: id.optional(),
    reply_control: z
      .enum([
        'everyone',
        'accounts_you_follow',
        'mentioned_only',
        'parent_post_author_only',
        'followers_only',
      ])
      .optional(),
    topic_tag: z
      .string()
      .min(1)
      .max(50)
      .regex(/^[^.&]*$/)
      .optional(),
    link_attachment: webUrl.optional(),
    poll_attachment: jsonOf(Poll).optional(),
    alt_text: z.string().min(1).max(1_000).optional(),
    quote_post_id: id.optional(),
    auto_publish_text: flag.optional(),
  })
  .refine(({ media_type, text }) => media_type !== 'TEXT' || (text ?? '') !== '', {
    error: 'The parameter text is required',
  })
  .refine(({ media_type, image_url }) => (media_type === 'IMAGE') === (image_url !== undefined), {
    error: 'Param image_url is not a valid URI.',
  })
  .refine(({ media_type, video_url }) => (media_type === 'VIDEO') === (video_url !== undefined), {
    error: 'Param video_url is not a valid URI.',
  })
  .refine(({ media_type, children }) => (media_type === 'CAROUSEL') === (children !== undefined), {
    error: 'Param children is for carousels',
  })
  .refine(({ children }) => !children || (children.length >= 2 && children.length <= 20), {
    error: 'A carousel has 2 to 20 items',
  })
  .refine(({ media_type, link_attachment }) => media_type === 'TEXT' || !link_attachment, {
    error: 'Param link_attachment is for text posts',
  })
  .refine(({ media_type, poll_attachment }) => media_type === 'TEXT' || !poll_attachment, {
    error: 'Param poll_attachment is for text posts',
  })
  .refine(({ link_attachment, poll_attachment }) => !link_attachment || !poll_attachment, {
    error: 'A poll has no link',
  })
  .refine(({ media_type, alt_text }) => ['IMAGE', 'VIDEO'].includes(media_type) || !alt_text, {
    error: 'Param alt_text is for media',
  })
  .refine(
    ({ media_type, is_carousel_item, text, reply_to_id }) =>
      !is_carousel_item ||
      (['IMAGE', 'VIDEO'].includes(media_type) && text === undefined && reply_to_id === undefined),
    { error: 'An item of a carousel has only its file' },
  );
export type NewContainer = z.infer<typeof NewContainer>;
export type Kind = NewContainer['media_type'];

const maxText = 500;
const maxLinks = 5;

/** Throws if Threads would refuse the container. */
export function readNewContainer(given: Parameters): NewContainer {
  const { data, error } = NewContainer.safeParse(given);
  if (error) throw apiError(100, z.prettifyError(error));
  if (data.text !== undefined && lengthOf(data.text) > maxText) {
    throw apiError(100, `Param text must be at most ${maxText} characters long.`);
  }
  const links = new Set(data.text?.match(/\b(?:https?:\/\/|www\.)\S+/g));
  if (data.link_attachment !== undefined) links.add(data.link_attachment);
  if (links.size > maxLinks) throw tooManyLinks();
  return data;
}

/** No document says where the answer has the name of this error. */
const tooManyLinks = () =>
  apiError('THREADS_API__LINK_LIMIT_EXCEEDED', 'The post has too many links.', { status: 400 });

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const isEmoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** Counts an emoji as its number of bytes. */
const lengthOf = (text: string) =>
  Array.from(graphemes.segment(text), ({ segment }) =>
    isEmoji.test(segment) ? Buffer.byteLength(segment) : Array.from(segment).length,
  ).reduce((sum, each) => sum + each, 0);
