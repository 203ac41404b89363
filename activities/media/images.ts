// Reads images whole, and decodes few of them at a time, so that memory is bounded.
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import type { MediaSource } from '../platforms/platform.ts';
import { MediaError } from './media-error.ts';

/** One thread for each image, and no decoded ones kept. The library has these settings per process. */
sharp.concurrency(1);
sharp.cache(false);
const decodes = pLimit(availableParallelism());

const maxImageBytes = 67_108_864;
/** Of one frame. */
const maxPixels = 50_000_000;
/** Of all frames. */
const maxAnimatedPixels = 500_000_000;

/** Reads the image and uses it when a slot is free. */
export function withImage<T>(source: MediaSource, use: (bytes: Buffer) => Promise<T>): Promise<T> {
  return decodes(async () => {
    if (source.bytes > maxImageBytes) {
      const message = `The image has ${source.bytes} bytes. Fanfare accepts at most ${maxImageBytes}.`;
      throw new MediaError('media_too_large', message);
    }
    return use(await readBytes(source));
  });
}

export async function readBytes(
  source: MediaSource,
  range = { start: 0, end: source.bytes - 1 },
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(range.end - range.start + 1);
  let length = 0;
  for await (const part of source.open(range)) {
    bytes.set(part, length);
    length += part.length;
  }
  return bytes.subarray(0, length);
}

export interface ImageHeader {
  metadata: Metadata;
  /** In pixels, of one frame, after its orientation is applied. */
  width: number;
  height: number;
  frames: number;
  /** As in EXIF. 1: upright. An animation has none. */
  orientation: number;
}

/** Refuses images that are too large to be decoded. Decodes nothing itself. */
export async function readHeader(bytes: Buffer): Promise<ImageHeader> {
  const options = { animated: true, limitInputPixels: false } as const;
  const metadata = await sharp(bytes, options)
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(error);
    });
  const height = metadata.pageHeight ?? metadata.height;
  const { width, pages: frames = 1 } = metadata;
  if (width * height > maxPixels) {
    const message = `The image has ${width} × ${height} pixels. Fanfare accepts at most ${maxPixels} pixels.`;
    throw new MediaError('media_too_large', message);
  }
  if (width * height * frames > maxAnimatedPixels) {
    const message = `The image has ${frames} frames of ${width} × ${height} pixels. Fanfare accepts at most ${maxAnimatedPixels} pixels in all.`;
    throw new MediaError('media_too_large', message);
  }
  const orientation = frames > 1 ? 1 : (metadata.orientation ?? 1);
  const size = orientation >= 5 ? { width: height, height: width } : { width, height };
  return { metadata, ...size, frames, orientation };
}

/** Every frame of an image whose header was read. Fails if the image is cut short. */
export function openImage(bytes: Buffer, options: SharpOptions = {}): Sharp {
  return sharp(bytes, {
    animated: true,
    failOn: 'truncated',
    limitInputPixels: maxAnimatedPixels,
    sequentialRead: true,
    ...options,
  }).timeout({ seconds: 60 });
}

export function unreadable(cause: unknown): MediaError {
  return new MediaError('media_invalid', 'The image is damaged or cut short.', { cause });
}
