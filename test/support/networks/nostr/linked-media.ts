// Media that a note links to: Fanfare never sends their bytes.
import { createHash } from 'node:crypto';
import type { TargetMedia } from '../../../../activities/platforms/platform.ts';

/** A picture at the client's own URL, with the given changes. */
export function linkedMedia(url: string, change: Partial<TargetMedia> = {}): TargetMedia {
  return {
    id: 'media_of_a_url',
    kind: 'image',
    contentType: 'image/jpeg',
    filename: 'image.jpg',
    sha256: createHash('sha256').update(url).digest('hex'),
    width: 3_024,
    height: 4_032,
    durationMs: null,
    altText: null,
    url,
    thumbnail: null,
    thumbnailAtMs: null,
    publicUrl: () => url,
    bytes: 1,
    open() {
      throw new Error('A note needs no bytes.');
    },
    ...change,
  };
}
