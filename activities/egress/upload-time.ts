// The time that a request gets for its body, in addition to the time for an answer.

/** Slower uploads are cut. */
const minBytesPerMs = 524.288;
/** An activity lasts 5 minutes at most. */
const maxUploadMs = 240_000;

/** In milliseconds: 2 s for 1 MiB, so 512 KiB/s at least, and more for files over 120 MiB. */
export function uploadMs(bytes: number): number {
  return Math.min(Math.ceil(bytes / minBytesPerMs), maxUploadMs);
}
