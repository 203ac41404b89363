// Asks about a video that YouTube still processes after its publication was reported.
import { z } from 'zod';
import type { FollowedPost, FollowUpOutcome, Published } from '../platform.ts';
import type { YouTubeApi } from './api.ts';
import { findFailure, isProcessed, readVideo } from './video.ts';

const Followed = z.object({ sinceMs: z.number() });

const minuteMs = 60_000;
const dayMs = 86_400_000;
const longestWaitMs = 60 * minuteMs;
/** YouTube may show a new video later. After this time, a video that it doesn't show is deleted. */
export const settledMs = 10 * minuteMs;

export const followLater = (): Required<Published>['followUp'] => ({
  state: { sinceMs: Date.now() },
  forMs: dayMs,
});

/** Each call counts for a quota, so the waits grow: https://developers.google.com/youtube/data/determine_quota_cost */
export async function followVideo(
  api: YouTubeApi,
  { externalId, state }: FollowedPost,
): Promise<FollowUpOutcome> {
  const ageMs = Date.now() - Followed.parse(state).sinceMs;
  const waitMs = Math.min(Math.max(ageMs / 10, minuteMs), longestWaitMs);
  const video = await readVideo(api, z.string().parse(externalId));
  if (!video) return ageMs < settledMs ? { outcome: 'more', waitMs } : { outcome: 'gone' };
  if (findFailure(video)) return { outcome: 'gone' };
  const finished = { visibility: video.status.privacyStatus ?? null };
  return isProcessed(video) ? { outcome: 'done', finished } : { outcome: 'more', waitMs, finished };
}
