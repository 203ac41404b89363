// Reads the type and the facts of a file from its bytes. Ignores the name and the declared type.
import { fileTypeFromBuffer } from 'file-type';
import type { MediaKind } from '../../schema/media.ts';
import type { MediaSource } from '../platforms/platform.ts';
import { imageEnd } from './image-end.ts';
import { openImage, readBytes, readHeader, unreadable, withImage } from './images.ts';
import { hasLocation } from './location.ts';
import { MediaError } from './media-error.ts';
import { readVideo } from './videos.ts';

export interface Probed {
  kind: MediaKind;
  contentType: string;
  /** In pixels, as shown: after the orientation is applied. */
  width: number;
  height: number;
  /** Null for an image. */
  durationMs: number | null;
  /** The image has an orientation to apply, or something to remove: a location, or bytes behind the image. */
  needsCleaning: boolean;
}

/** `format`: as the decoder names it. */
const imageTypes: Record<string, { contentType: string; format: string }> = {
  'image/jpeg': { contentType: 'image/jpeg', format: 'jpeg' },
  'image/png': { contentType: 'image/png', format: 'png' },
  'image/apng': { contentType: 'image/png', format: 'png' },
  'image/webp': { contentType: 'image/webp', format: 'webp' },
  'image/gif': { contentType: 'image/gif', format: 'gif' },
  'image/avif': { contentType: 'image/avif', format: 'heif' },
};

const videoTypes: Record<string, string> = {
  'video/mp4': 'video/mp4',
  'video/x-m4v': 'video/mp4',
  'video/quicktime': 'video/quicktime',
  'video/webm': 'video/webm',
};

const acceptedTypes = [
  ...new Set([
    ...Object.values(imageTypes).map((type) => type.contentType),
    ...Object.values(videoTypes),
  ]),
].join(', ');

/** As many as a type is recognized by. */
const sampleBytes = 4_100;

/** Throws a `MediaError` if the file is not usable, and errors of the source as they are. */
export async function probe(source: MediaSource): Promise<Probed> {
  if (source.bytes === 0) throw new MediaError('media_invalid', 'The file is empty.');
  const end = Math.min(sampleBytes, source.bytes) - 1;
  const type = await fileTypeFromBuffer(await readBytes(source, { start: 0, end }));
  if (!type) throw new MediaError('media_invalid');
  const image = imageTypes[type.mime];
  if (image) return probeImage(source, image);
  const video = videoTypes[type.mime];
  if (video) return probeVideo(source, video);
  const message = `The bytes are ${type.mime}. Fanfare accepts ${acceptedTypes}.`;
  throw new MediaError('media_invalid', message);
}

async function probeImage(
  source: MediaSource,
  { contentType, format }: { contentType: string; format: string },
): Promise<Probed> {
  return withImage(source, async (bytes) => {
    const { metadata, width, height, orientation } = await readHeader(bytes);
    const end = imageEnd(bytes, contentType);
    if (end === null || metadata.format !== format) throw unreadable(undefined);
    await decode(bytes);
    const needsCleaning =
      orientation !== 1 || end < bytes.length || hasLocation(bytes, contentType, metadata);
    return { kind: 'image', contentType, width, height, durationMs: null, needsCleaning };
  });
}

/** Reads every pixel and keeps one. */
async function decode(bytes: Buffer): Promise<void> {
  try {
    await openImage(bytes).resize({ width: 1, height: 1, fit: 'fill' }).raw().toBuffer();
  } catch (error) {
    throw unreadable(error);
  }
}

async function probeVideo(source: MediaSource, contentType: string): Promise<Probed> {
  const facts = await readVideo(source, contentType);
  if (!(facts.width > 0 && facts.height > 0 && facts.durationMs > 0)) {
    throw new MediaError('media_invalid');
  }
  return { kind: 'video', contentType, ...facts, needsCleaning: false };
}
