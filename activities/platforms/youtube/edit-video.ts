// Edits the text of a video, and compares it with the wanted one.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { youtube } from '../../../schema/platforms/youtube.ts';
import { goneIf, PlatformError } from '../platform-error.ts';
import type { PublishedPost } from '../platform.ts';
import { network, type YouTubeApi } from './api.ts';
import { settledMs } from './follow-video.ts';
import { toSnippet } from './snippet.ts';

export const unknownVideo = 'videoNotFound';

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
const Page = z.object({ items: z.array(z.object({ snippet: Snippet })).default([]) });

async function readSnippet({ ask }: YouTubeApi, post: PublishedPost): Promise<Snippet> {
  const { externalId: id, publishedAt } = post;
  const query = { part: 'snippet', id };
  const [video] = (await ask('/youtube/v3/videos', Page, { query })).body.items;
  if (video) return video.snippet;
  if (publishedAt && Date.now() - publishedAt.getTime() < settledMs) {
    throw new PlatformError('unavailable', `${network} does not show the new video yet.`);
  }
  const options = { platformCode: unknownVideo, failsAs: 'post_gone' } as const;
  throw new PlatformError('rejected', `${network} no longer has the video.`, options);
}

/** Options that the post doesn't set keep their values. */
function changeSnippet(found: Snippet, { caption, platformOptions }: PublishedPost): Snippet {
  return { ...found, ...toSnippet(caption, youtube.options.parse(platformOptions)) };
}

/**
 * Values that an edit doesn't name are removed, so all of them are named.
 * @see https://developers.google.com/youtube/data/reference/rest/v3/videos/update
 */
export async function editVideo(api: YouTubeApi, post: PublishedPost): Promise<void> {
  const { externalId: id } = post;
  const snippet = changeSnippet(await readSnippet(api, post), post);
  const asked = api.ask('/youtube/v3/videos', z.unknown(), {
    kind: 'commit',
    method: 'PUT',
    query: { part: 'snippet' },
    json: { id, snippet },
  });
  await asked.catch(goneIf(unknownVideo));
}

export async function isVideoEdited(api: YouTubeApi, post: PublishedPost): Promise<boolean> {
  const found = await readSnippet(api, post);
  return isDeepStrictEqual(found, changeSnippet(found, post));
}

/** A repeat says whether the video is gone. @see https://developers.google.com/youtube/data/reference/rest/v3/videos/delete */
export async function removeVideo({ ask }: YouTubeApi, { externalId: id }: PublishedPost) {
  const call = { kind: 'commit', method: 'DELETE', query: { id } } as const;
  await ask('/youtube/v3/videos', z.unknown(), call).catch(goneIf(unknownVideo));
}
