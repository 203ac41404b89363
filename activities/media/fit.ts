// Re-encodes an image: upright, without metadata, and within limits.
import type { Sharp } from 'sharp';
import type { FitPlan } from '../platforms/media-rules.ts';
import type { MediaSource } from '../platforms/platform.ts';
import { openImage, readHeader, unreadable, withImage } from './images.ts';
import { MediaError } from './media-error.ts';

export interface FittedImage {
  bytes: Buffer;
  contentType: string;
  /** In pixels. */
  width: number;
  height: number;
}

interface Size {
  width: number;
  height: number;
}

interface Encoder {
  /** Without a limit of bytes. */
  best: number;
  /** With a limit, in the order in which they are tried. */
  qualities: readonly number[];
  isAnimated: boolean;
  encode(image: Sharp, quality: number): Sharp;
}

const encoders: Record<string, Encoder> = {
  'image/jpeg': {
    best: 90,
    qualities: [85, 75, 65, 55],
    isAnimated: false,
    encode: (image, quality) => image.flatten({ background: '#fff' }).jpeg({ quality }),
  },
  'image/png': { best: 100, qualities: [100], isAnimated: false, encode: (image) => image.png() },
  'image/webp': {
    best: 90,
    qualities: [85, 75, 65, 55],
    isAnimated: true,
    encode: (image, quality) => image.webp({ quality }),
  },
  'image/gif': {
    best: 100,
    qualities: [100],
    isAnimated: true,
    encode: (image) => image.gif({ effort: 3 }),
  },
  'image/avif': {
    best: 65,
    qualities: [60, 50, 40, 30],
    isAnimated: false,
    encode: (image, quality) => image.avif({ quality, effort: 2 }),
  },
};

const maxTries = 12;

/** Lowers the quality, then the size, until the image fits. Colors become sRGB. */
export function fitImage(source: MediaSource, plan: FitPlan): Promise<FittedImage> {
  const { maxBytes, contentType } = plan;
  const encoder = encoders[contentType];
  if (!encoder) throw new Error(`No encoder for ${contentType}`);
  return withImage(source, async (bytes) => {
    const qualities = maxBytes === null ? [encoder.best] : encoder.qualities;
    const header = await readHeader(bytes);
    const largest = within(header, plan);
    let factor = 1;
    const isAnimated = encoder.isAnimated && header.frames > 1;
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const quality = qualities[attempt] ?? qualities.at(-1)!;
      const size = scale(largest, factor);
      // Decoded again for each try, since reading and writing then run in parallel.
      const image = openImage(bytes, { animated: isAnimated });
      const upright = isAnimated ? image : image.autoOrient();
      const fitted = await run(encoder.encode(upright.resize({ ...size, fit: 'fill' }), quality));
      if (maxBytes === null || fitted.length <= maxBytes) {
        return { bytes: fitted, contentType, ...size };
      }
      if (attempt + 1 >= qualities.length) {
        const guess = Math.sqrt(maxBytes / fitted.length) * 0.95;
        factor *= Math.min(Math.max(guess, 0.25), 0.9);
      }
    }
    const message = `The image can't be made to fit into ${maxBytes!} bytes.`;
    throw new MediaError('media_too_large', message);
  });
}

async function run(image: Sharp): Promise<Buffer> {
  try {
    return await image.toBuffer();
  } catch (error) {
    throw unreadable(error);
  }
}

/** Only applies the orientation and removes all metadata. */
export function cleaningPlan(contentType: string): FitPlan {
  return { contentType, maxBytes: null, maxWidth: null, maxHeight: null, maxPixels: null };
}

function within({ width, height }: Size, { maxWidth, maxHeight, maxPixels }: FitPlan): Size {
  return scale(
    { width, height },
    Math.min(
      1,
      (maxWidth ?? Infinity) / width,
      (maxHeight ?? Infinity) / height,
      Math.sqrt((maxPixels ?? Infinity) / (width * height)),
    ),
  );
}

/** Rounds down, with a tolerance for floating-point error. */
function scale({ width, height }: Size, factor: number): Size {
  const scaled = (length: number) => Math.max(1, Math.floor(length * factor + 1e-6));
  return { width: scaled(width), height: scaled(height) };
}
