// Creates a pin, with the single call that makes it public.
import { z } from 'zod';
import { pinterest } from '../../../schema/platforms/pinterest.ts';
import { jsonUpload } from '../json-upload.ts';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { CommitOutcome, MediaSource, Target, TargetMedia } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { readThrottle } from './api.ts';
import { uploadedVideo } from './video.ts';

const Created = z.object({ id: z.string().regex(/^\d+$/) });

type Embed = (file: MediaSource) => string;
type Options = z.infer<typeof pinterest.options>;

export const toPublished = (id: string) =>
  publishedAs(id, `https://www.pinterest.com/pin/${id}/`, null);

/** Only the options of a check can lack the board. */
export function readOptions({ platformOptions }: Pick<Target, 'platformOptions'>): Options {
  const { data } = pinterest.options.safeParse(platformOptions);
  if (data) return data;
  const message = 'Choose the board in platform_options.board_id, or set a default of the account.';
  throw new PlatformError('rejected', message, { platformCode: 'board_required' });
}

/** https://developers.pinterest.com/docs/api/v5/pins-create */
export async function publish(ask: Ask, target: Target): Promise<CommitOutcome> {
  const { media, state } = target;
  const options = readOptions(target);
  const video = uploadedVideo(state);
  if (media[0]?.kind === 'video' && video === undefined) return { outcome: 'stale' };
  const upload = jsonUpload((embed) => ({
    ...textsOf(target, options),
    board_id: options.board_id,
    board_section_id: options.board_section_id,
    dominant_color: options.dominant_color,
    media_source: toMediaSource(media, video, embed),
  }));
  const { body, headers } = await ask('/pins', Created, { kind: 'commit', upload });
  return { ...toPublished(body.id), throttle: readThrottle(headers) };
}

interface Texts {
  caption: string;
  media: readonly Pick<TargetMedia, 'altText'>[];
}

/** The texts of a pin. A pin has one alt text, so it gets the first one of its images. Empty texts are left out. */
export function textsOf({ caption, media }: Texts, { title, link }: Options) {
  const altText = media.find((file) => file.altText)?.altText;
  return {
    title: title?.toWellFormed(),
    description: caption.toWellFormed() || undefined,
    link: link === undefined ? undefined : new URL(link).href,
    alt_text: altText?.toWellFormed(),
  };
}

function toMediaSource(media: readonly TargetMedia[], video: string | undefined, embed: Embed) {
  const [first, ...others] = media;
  if (!first) {
    const message = 'Pinterest needs an image or a video.';
    throw new PlatformError('rejected', message, { platformCode: 'media_required' });
  }
  if (video !== undefined) {
    return { source_type: 'video_id', media_id: video, ...coverOf(first, embed) };
  }
  const items = media.map((file) => ({ content_type: file.contentType, data: embed(file) }));
  if (others.length > 0) return { source_type: 'multiple_image_base64', items };
  return { source_type: 'image_base64', ...items[0] };
}

/** Pinterest refuses a video without a cover. The time of a frame is in whole seconds. */
function coverOf({ thumbnail, thumbnailAtMs }: TargetMedia, embed: Embed) {
  if (!thumbnail) return { cover_image_key_frame_time: Math.floor((thumbnailAtMs ?? 0) / 1_000) };
  return { cover_image_content_type: thumbnail.contentType, cover_image_data: embed(thumbnail) };
}
