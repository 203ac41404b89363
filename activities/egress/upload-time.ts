// The time that a request gets for its body, in addition to the time for an answer.

/** Slower uploads are cut. */
const minBytesPerMs = 524.288;
/** An activity lasts 5 minutes at most. */
const maxUploadMs = 240_000;

/**
 * In milliseconds. A body of 1 MiB gets 2 s, so uploads need 512 KiB/s at least. Files over 120 MiB need a
 * higher speed.
 */
export function uploadMs(bytes: number): number {
  return Math.min(Math.ceil(bytes / minBytesPerMs), maxUploadMs);
}
