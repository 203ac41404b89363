// Opens the store of media that a URL names.
import { parseMediaUrl } from '../../../schema/config/media-url.ts';
import { openFileStore } from './file.ts';
import type { MediaStore } from './store.ts';

/** `url`: as in FANFARE_MEDIA_URL. Opening a store doesn't read or write anything yet. */
export async function openStore(url: string): Promise<MediaStore> {
  const location = parseMediaUrl(url);
  if (typeof location === 'string') throw new Error(`FANFARE_MEDIA_URL: ${location}`);
  if (location.kind === 'file') return openFileStore(location.folder);
  // The client takes memory and time to load.
  const { openBucketStore } = await import('./s3.ts');
  return openBucketStore(location);
}

/** Checks a bucket with `checkBucket`. Does nothing for a folder, which `checkMediaFolder` checks. */
export async function checkStore(url: string): Promise<void> {
  const location = parseMediaUrl(url);
  if (typeof location === 'string' || location.kind === 'file') return;
  const { checkBucket } = await import('./s3.ts');
  await checkBucket(location);
}
