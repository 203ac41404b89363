// Opens an image with the decoder, and reads its header.
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import { imageLimits } from '../../../schema/media.ts';
import { MediaError } from '../media-error.ts';

/** One thread for each image, and no cache of decoded images. The library has these settings per process. */
sharp.concurrency(1);
sharp.cache(false);

/** In pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** The size is that of one frame, after its orientation is applied. */
export interface ImageHeader extends ImageSize {
  metadata: Metadata;
  frames: number;
  /** The orientation as in EXIF. 1: the image is upright, or is an animation. */
  orientation: number;
}

/** Refuses images that are too large to be decoded. Decodes nothing itself. */
export async function readHeader(path: string): Promise<ImageHeader> {
  const options = { animated: true, limitInputPixels: false } as const;
  const metadata = await sharp(path, options)
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(error);
    });
  const height = metadata.pageHeight ?? metadata.height;
  const { width, pages: frames = 1 } = metadata;
  const maxPixels = imageLimits.pixels[typeOf(metadata.format)];
  if (width * height > maxPixels) {
    const message = `The image has ${width} × ${height} pixels. Fanfare accepts at most ${maxPixels} in this format.`;
    throw new MediaError('media_too_large', message);
  }
  if (width * height * frames > imageLimits.animatedPixels) {
    const message = `The image has ${frames} frames of ${width} × ${height} pixels. Fanfare accepts at most ${imageLimits.animatedPixels} pixels in all.`;
    throw new MediaError('media_too_large', message);
  }
  const orientation = frames > 1 ? 1 : (metadata.orientation ?? 1);
  const size = orientation >= 5 ? { width: height, height: width } : { width, height };
  return { metadata, ...size, frames, orientation };
}

/** For AVIF, the decoder reports the container, HEIF. Other formats are refused later. */
function typeOf(format: string): keyof typeof imageLimits.pixels {
  return format in imageLimits.pixels ? (format as keyof typeof imageLimits.pixels) : 'avif';
}

/** Opens every frame of an image whose header was read. Fails if the image is cut short. */
export function openImage(path: string, options: SharpOptions = {}): Sharp {
  return sharp(path, {
    animated: true,
    failOn: 'truncated',
    limitInputPixels: imageLimits.animatedPixels,
    sequentialRead: true,
    ...options,
  });
}

export function unreadable(cause: unknown): MediaError {
  return new MediaError('media_invalid', 'The image is damaged or cut short.', { cause });
}
