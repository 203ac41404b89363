// Creates a page's post, with the single call that makes it public.
import { z } from 'zod';
import { facebook } from '../../../schema/platforms/facebook.ts';
import { GraphId } from '../meta/ids.ts';
import { PlatformError } from '../platform-error.ts';
import type { CommitOutcome, Target } from '../platform.ts';
import { toUnexpectedAnswer } from '../refusal.ts';
import { network, type PageApi } from './api.ts';
import { isDuplicate } from './errors.ts';
import { findPost, findStoryOf, toPublished } from './find-post.ts';
import { isOld, placementOfTarget, readPrepared } from './media.ts';
import { edgeOf, type VideoUpload } from './video-upload.ts';

/** `<page>_<post>`, and `<post>_<comment>`. */
const Posted = z.object({ id: z.string().regex(facebook.rules.replies.id) });
/** The documents show `post_id` only for stories. */
const Finished = z.object({ success: z.boolean(), post_id: GraphId.optional() });
const StoryPosted = z.object({ success: z.boolean(), post_id: GraphId });

/** `stale`: the uploads are missing from the state, or too old. */
export async function publish(api: PageApi, target: Target): Promise<CommitOutcome> {
  const { media, replyTo, state } = target;
  if (replyTo !== null) return comment(api, target, replyTo);
  const placement = placementOfTarget(target);
  if (placement !== 'feed' && media.length === 0) {
    const message = `A ${placement} of Facebook needs media.`;
    throw new PlatformError('rejected', message, { platformCode: 'media_required' });
  }
  const prepared = readPrepared(state);
  if (isOld(prepared)) return { outcome: 'stale' };
  const { photos, video } = prepared;
  if (media[0]?.kind === 'video') {
    return video?.isUploaded ? finishVideo(api, target, video) : { outcome: 'stale' };
  }
  if (photos.length < media.length) return { outcome: 'stale' };
  if (placement === 'story') return publishStory(api, target, photos[0]!);
  try {
    return await publishInFeed(api, target, photos);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // The equal post that Facebook found may be this target's post, published by an earlier call.
    const found = await findPost(api, target).catch(() => undefined);
    if (found?.outcome === 'published') return found;
    throw error;
  }
}

/** https://developers.facebook.com/docs/pages-api/comments-mentions */
async function comment({ graph }: PageApi, { caption }: Target, id: string) {
  const json = { message: caption.toWellFormed() };
  const { body, throttle } = await graph(`/${id}/comments`, Posted, { json, kind: 'commit' });
  return { ...toPublished(body.id), throttle };
}

/** https://developers.facebook.com/docs/pages-api/posts */
async function publishInFeed(
  { page, graph }: PageApi,
  { caption, platformOptions }: Target,
  photos: readonly string[],
): Promise<CommitOutcome> {
  const { link } = facebook.options.parse(platformOptions);
  const json = {
    ...(caption !== '' && { message: caption.toWellFormed() }),
    ...(link !== undefined && { link: new URL(link).href }),
    ...(photos.length > 0 && { attached_media: photos.map((media_fbid) => ({ media_fbid })) }),
  };
  const { body, throttle } = await graph(`/${page}/feed`, Posted, { json, kind: 'commit' });
  return { ...toPublished(body.id), throttle };
}

/** https://developers.facebook.com/docs/page-stories-api */
async function publishStory(api: PageApi, target: Target, photo: string): Promise<CommitOutcome> {
  const call = { json: { photo_id: photo }, kind: 'commit' } as const;
  const path = `/${api.page}/photo_stories`;
  const { body, throttle } = await api.graph(path, StoryPosted, call);
  if (!body.success) throw toUnexpectedAnswer(network, 'commit');
  return { ...(await findStoryOf(api, target, photo, body.post_id)), throttle };
}

/** Publishes the video, which Facebook processes before it is public. */
async function finishVideo(
  { page, graph, videos }: PageApi,
  target: Target,
  { id, session }: VideoUpload,
): Promise<CommitOutcome> {
  const placement = placementOfTarget(target);
  const text = target.caption.toWellFormed();
  const json = {
    upload_phase: 'finish',
    ...(session ? { upload_session_id: session.id } : { video_id: id }),
    ...(placement === 'reel' && { video_state: 'PUBLISHED' }),
    ...(placement !== 'story' && text !== '' && { description: text }),
  };
  const ask = session ? videos : graph;
  const path = `/${page}/${edgeOf(placement)}`;
  const { body, throttle } = await ask(path, Finished, { json, kind: 'commit' });
  if (!body.success) throw toUnexpectedAnswer(network, 'commit');
  const state = { ...target.state, postId: body.post_id };
  return { outcome: 'accepted', state, throttle };
}
