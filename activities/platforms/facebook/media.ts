// Uploads images and videos before their post: one image, or one step of a video, at a time. They aren't
// public yet.
import { z } from 'zod';
import { facebook, placementOf, type Placement } from '../../../schema/platforms/facebook.ts';
import { GraphId, Made } from '../meta/ids.ts';
import { multipart, toFilePart } from '../multipart.ts';
import type { PrepareOutcome, ProviderState, Target, TargetMedia } from '../platform.ts';
import { preparedAs } from '../results.ts';
import type { PageApi } from './api.ts';
import { uploadVideo, VideoUpload } from './video-upload.ts';

const Prepared = z.object({
  /** IDs of unpublished photos, in the order of the media. */
  photos: z.array(GraphId).default([]),
  video: VideoUpload.optional(),
  /** ID of a story, from the answer that published its video. */
  postId: z.string().optional(),
  /** When the first upload began, in milliseconds. */
  madeAt: z.number().optional(),
});
type Prepared = z.infer<typeof Prepared>;

/**
 * No document says how long Facebook keeps an unused upload. Meta's other networks keep an upload for a day.
 */
const lastsMs = 23.5 * 3_600_000;

export const readPrepared = (state: ProviderState): Prepared => Prepared.parse(state);

export const isOld = ({ madeAt = Date.now() }: Prepared): boolean => Date.now() - madeAt > lastsMs;

export function placementOfTarget({ platformOptions, media }: Target): Placement {
  return placementOf(facebook.options.parse(platformOptions).placement, media);
}

export async function prepareMedia(api: PageApi, target: Target): Promise<PrepareOutcome> {
  const { media, state } = target;
  const stored = readPrepared(state);
  const { photos, video, madeAt = Date.now() } = isOld(stored) ? readPrepared({}) : stored;
  const next = media[photos.length];
  if (!next) return preparedAs(state);
  if (next.kind === 'image') {
    const uploaded = { photos: [...photos, await uploadPhoto(api, next)], madeAt };
    if (uploaded.photos.length === media.length) return preparedAs(uploaded);
    return { outcome: 'more', state: uploaded, waitMs: 0 };
  }
  const step = await uploadVideo(api, next, placementOfTarget(target), video);
  if (step === 'ready') return preparedAs(state);
  return { outcome: 'more', state: { video: step.upload, madeAt }, waitMs: step.waitMs };
}

/** https://developers.facebook.com/docs/pages-api/posts */
async function uploadPhoto({ page, graph }: PageApi, image: TargetMedia): Promise<string> {
  const altText = image.altText?.toWellFormed();
  const fields = { published: 'false', ...(altText && { alt_text_custom: altText }) };
  const upload = multipart(fields, [toFilePart('source', image)]);
  return (await graph(`/${page}/photos`, Made, { upload })).body.id;
}
