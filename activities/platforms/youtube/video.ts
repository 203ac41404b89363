// A video as YouTube shows it to its owner: whether it is processed, and who can see it.
import { z } from 'zod';
import { youtube } from '../../../schema/platforms/youtube.ts';
import { PlatformError } from '../platform-error.ts';
import type { Published, Target } from '../platform.ts';
import { NetworkWord } from '../refusal.ts';
import { network, type YouTubeApi } from './api.ts';

/** @see https://developers.google.com/youtube/data/reference/rest/v3/videos */
const Status = z.object({
  uploadStatus: NetworkWord,
  failureReason: NetworkWord,
  rejectionReason: NetworkWord,
  privacyStatus: NetworkWord,
});
export const Video = z.object({
  id: z.string().regex(/^[\w-]{5,40}$/),
  status: Status.default({}),
});
export type Video = z.infer<typeof Video>;

/** Undefined: the network doesn't show the video, which it may only do later. */
export async function readVideo({ ask }: YouTubeApi, id: string): Promise<Video | undefined> {
  const Page = z.object({ items: z.array(Video).default([]) });
  const { items } = (await ask('/youtube/v3/videos', Page, { query: { part: 'status', id } })).body;
  return items[0];
}

export const isProcessed = ({ status }: Video): boolean => status.uploadStatus === 'processed';

const ends = new Set(['failed', 'rejected', 'deleted']);

/** Why the video will never be public. Undefined: it is public, or may be soon. */
export function findFailure({ status }: Video): PlatformError | undefined {
  const { uploadStatus = '', failureReason, rejectionReason } = status;
  if (!ends.has(uploadStatus)) return undefined;
  const reason = rejectionReason ?? failureReason ?? uploadStatus;
  const verb = uploadStatus === 'failed' ? 'could not process' : uploadStatus;
  const message = `${network} ${verb} the video: ${reason}`;
  const options = { platformCode: reason, providerError: { ...status } };
  return new PlatformError('rejected', message, options);
}

export function toPublished(
  { id, status: { privacyStatus } }: Video,
  { platformOptions }: Target,
): Published {
  const asked = youtube.options.parse(platformOptions).visibility ?? 'public';
  return {
    externalId: id,
    url: `https://www.youtube.com/watch?v=${id}`,
    visibility: privacyStatus ?? null,
    ...(privacyStatus !== undefined &&
      privacyStatus !== asked && {
        detail: { asked_visibility: asked, reason: reasons[privacyStatus] ?? changed },
      }),
  };
}

const changed = 'YouTube chose another visibility.';
/**
 * Until November 2, 2026, projects without an audit were the usual reason:
 * https://developers.google.com/youtube/data/revision_history
 */
const reasons: Record<string, string> = {
  private:
    'YouTube made the video private. It does so if the settings of the channel say so, and did so for projects at Google that it had not audited.',
};
