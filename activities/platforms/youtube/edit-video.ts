// Edits the text and the visibility of a video, and compares them with the wanted ones.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { youtube } from '../../../schema/platforms/youtube.ts';
import { goneIf, PlatformError } from '../platform-error.ts';
import type { EditedPost, PublishedPost } from '../platform.ts';
import { network, type YouTubeApi } from './api.ts';
import { settledMs } from './follow-video.ts';
import { toSnippet } from './snippet.ts';

const unknownVideo = 'videoNotFound';

/** @see https://developers.google.com/youtube/data/reference/rest/v3/videos */
const Snippet = z.object({
  title: z.string(),
  description: z.string().default(''),
  tags: z.array(z.string()).default([]),
  categoryId: z.string(),
  defaultLanguage: z.string().optional(),
  defaultAudioLanguage: z.string().optional(),
});
type Snippet = z.infer<typeof Snippet>;
/** The members that an edit can set. */
const Status = z.object({
  privacyStatus: z.string().optional(),
  publishAt: z.string().optional(),
  license: z.string().optional(),
  embeddable: z.boolean().optional(),
  publicStatsViewable: z.boolean().optional(),
  selfDeclaredMadeForKids: z.boolean().optional(),
  containsSyntheticMedia: z.boolean().optional(),
});
const Content = z.object({ snippet: Snippet, status: Status.optional() });
type Content = z.infer<typeof Content>;
const Page = z.object({ items: z.array(Content).default([]) });
const Edited = z.object({ status: Status.optional() });

/** The parts that the edit concerns. */
const partsOf = (post: EditedPost): string =>
  visibilityOf(post) === undefined ? 'snippet' : 'snippet,status';

async function readContent({ ask }: YouTubeApi, post: EditedPost): Promise<Content> {
  const query = { part: partsOf(post), id: post.externalId };
  const [video] = (await ask('/youtube/v3/videos', Page, { query })).body.items;
  if (video) return video;
  const { publishedAt } = post;
  if (publishedAt && Date.now() - publishedAt.getTime() < settledMs) {
    throw new PlatformError('unavailable', `${network} does not show the new video yet.`);
  }
  const options = { platformCode: unknownVideo, failsAs: 'post_gone' } as const;
  throw new PlatformError('rejected', `${network} no longer has the video.`, options);
}

/** The visibility that the edit asks for. Undefined: the edit leaves it as it is. */
export function visibilityOf({ changed, platformOptions }: EditedPost): string | undefined {
  if (!('visibility' in (changed.platform_options ?? {}))) return undefined;
  return youtube.options.parse(platformOptions).visibility ?? 'public';
}

/** The members that the edit names. A video always has a category, so a removed one keeps its value. */
function changedSnippet({ changed, caption, platformOptions }: EditedPost): Partial<Snippet> {
  const wanted = toSnippet(caption, youtube.options.parse(platformOptions));
  const named = changed.platform_options ?? {};
  const { title, description, tags = [], categoryId } = wanted;
  return {
    ...(changed.caption !== undefined && { description }),
    ...('title' in named && { title }),
    ...('tags' in named && { tags }),
    ...('category_id' in named && categoryId !== undefined && { categoryId }),
  };
}

/** What the edit doesn't name keeps its value, also if it was changed at YouTube. */
function changeContent({ snippet, status }: Content, post: EditedPost): Content {
  const visibility = visibilityOf(post);
  const text = { ...snippet, ...changedSnippet(post) };
  if (visibility === undefined) return { snippet: text };
  const { publishAt, ...kept } = status ?? {};
  // Only a private video can have a time at which YouTube publishes it.
  const plan = visibility === 'private' && publishAt !== undefined && { publishAt };
  return { snippet: text, status: { ...kept, ...plan, privacyStatus: visibility } };
}

/**
 * YouTube removes values that the call leaves out, so it has all of them.
 * @see https://developers.google.com/youtube/data/reference/rest/v3/videos/update
 */
export async function editVideo(api: YouTubeApi, post: EditedPost): Promise<void> {
  const content = changeContent(await readContent(api, post), post);
  const asked = api.ask('/youtube/v3/videos', Edited, {
    kind: 'commit',
    method: 'PUT',
    query: { part: partsOf(post) },
    json: { id: post.externalId, ...content },
  });
  const { status } = (await asked.catch(goneIf(unknownVideo))).body;
  const visibility = status?.privacyStatus;
  if (visibility === undefined || visibility === content.status?.privacyStatus) return;
  const message = `${network} changed the text of the video, but its visibility stays ${visibility}.`;
  throw new PlatformError('rejected', message, { platformCode: 'visibility_not_changed' });
}

export async function isVideoEdited(api: YouTubeApi, post: EditedPost): Promise<boolean> {
  const found = await readContent(api, post);
  return isDeepStrictEqual(found, changeContent(found, post));
}

/** A repeat says whether the video is gone. @see https://developers.google.com/youtube/data/reference/rest/v3/videos/delete */
export async function removeVideo({ ask }: YouTubeApi, { externalId: id }: PublishedPost) {
  const call = { kind: 'commit', method: 'DELETE', query: { id } } as const;
  await ask('/youtube/v3/videos', z.unknown(), call).catch(goneIf(unknownVideo));
}
