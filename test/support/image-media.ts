// A small image as the media of a target.
import { createHash, randomBytes } from 'node:crypto';
import sharp from 'sharp';
import type { TargetMedia } from '../../activities/platforms/platform.ts';

const side = 48;

/** About 7,000 bytes of noise, as a PNG. */
export async function createImage(change: Partial<TargetMedia> = {}): Promise<TargetMedia> {
  const raw = { width: side, height: side, channels: 3 } as const;
  const noise = randomBytes(side * side * raw.channels);
  const bytes = new Blob([new Uint8Array(await sharp(noise, { raw }).png().toBuffer())]);
  return {
    id: 'media_of_an_image',
    kind: 'image',
    contentType: 'image/png',
    filename: 'image.png',
    sha256: createHash('sha256')
      .update(await bytes.bytes())
      .digest('hex'),
    url: null,
    thumbnail: null,
    bytes: bytes.size,
    width: side,
    height: side,
    durationMs: null,
    altText: 'Noise',
    open: (range) => (range ? bytes.slice(range.start, range.end + 1) : bytes).stream(),
    ...change,
  };
}
