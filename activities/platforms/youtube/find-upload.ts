// Searches the channel's latest uploads for a video whose upload is lost.
import { z } from 'zod';
import { youtube } from '../../../schema/platforms/youtube.ts';
import { earliestOf, toComparable } from '../lost-posts.ts';
import type { ReconcileOutcome, Target } from '../platform.ts';
import type { YouTubeApi } from './api.ts';
import { findFailure, toPublished, Video } from './video.ts';

/** @see https://developers.google.com/youtube/data/reference/rest/v3/playlistItems/list */
const Items = z.object({
  items: z
    .array(
      z.object({
        snippet: z.object({ publishedAt: z.iso.datetime({ offset: true }) }),
        contentDetails: z.object({ videoId: z.string() }),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
});

/** @see https://developers.google.com/youtube/data/reference/rest/v3/videos/list */
const Upload = Video.extend({
  snippet: z.object({ title: z.string(), description: z.string().default('') }),
  /** Only the owner sees it, and only once YouTube has read the file. */
  fileDetails: z.object({ fileSize: z.coerce.number().optional() }).optional(),
});
type Upload = z.infer<typeof Upload>;
const Uploads = z.object({ items: z.array(Upload).default([]) });

/** YouTube lists as many on a page. */
const pageSize = 50;
const maxPages = 4;

/** `unknown`: the channel has uploaded too much since the target was due. */
export async function findUpload(api: YouTubeApi, target: Target): Promise<ReconcileOutcome> {
  let pageToken: string | undefined;
  const uploads: Upload[] = [];
  let isComplete = false;
  for (let page = 0; page < maxPages && !isComplete; page++) {
    const listed = await listRecent(api, target, pageToken);
    uploads.push(...listed.uploads);
    pageToken = listed.next;
    isComplete = pageToken === undefined;
  }
  // The oldest one comes first, since an equal video that a person uploaded later comes after it.
  const found = uploads.toReversed().find((upload) => isSame(upload, target));
  if (found) return { outcome: 'published', published: toPublished(found, target) };
  return { outcome: isComplete ? 'absent' : 'unknown' };
}

/** Newest first. `next`: undefined once all uploads since the target was due are listed. */
async function listRecent(
  { ask }: YouTubeApi,
  target: Target,
  pageToken: string | undefined,
): Promise<{ uploads: Upload[]; next: string | undefined }> {
  const { body } = await ask('/youtube/v3/playlistItems', Items, {
    query: {
      part: 'snippet,contentDetails',
      playlistId: String(target.traits['uploads']),
      maxResults: pageSize,
      pageToken,
    },
  });
  const since = earliestOf(target);
  const recent = body.items.filter(({ snippet }) => Date.parse(snippet.publishedAt) >= since);
  const next = recent.length < body.items.length ? undefined : body.nextPageToken;
  if (recent.length === 0) return { uploads: [], next };
  const ids = recent.map(({ contentDetails }) => contentDetails.videoId);
  const query = { part: 'snippet,status,fileDetails', id: ids.join(',') };
  const { items } = (await ask('/youtube/v3/videos', Uploads, { query })).body;
  const byId = new Map(items.map((upload) => [upload.id, upload]));
  return { uploads: ids.flatMap((id) => byId.get(id) ?? []), next };
}

function isSame(upload: Upload, { caption, platformOptions, media: [file] }: Target): boolean {
  const { title } = youtube.options.parse(platformOptions);
  const { snippet, fileDetails } = upload;
  if (findFailure(upload)) return false;
  if (toComparable(snippet.title) !== toComparable(title)) return false;
  if (toComparable(snippet.description) !== toComparable(caption)) return false;
  // The target of a search has no media if the media can't be read.
  const [theirs, ours] = [fileDetails?.fileSize, file?.bytes];
  return theirs === undefined || ours === undefined || theirs === ours;
}
