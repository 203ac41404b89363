// What a video is, and the function that reads it.
import type { MediaSource } from '../platforms/platform.ts';

export interface VideoFacts {
  width: number;
  height: number;
  durationMs: number;
}

/** Throws a `MediaError` if the video is not usable, and errors of the source as they are. */
export type ReadVideo = (
  projectId: string,
  source: MediaSource,
  contentType: string,
) => Promise<VideoFacts>;
