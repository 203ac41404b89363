// Reads what a file is from its bytes. Nothing else is believed.
import { fileTypeFromBuffer } from 'file-type';
import {
  CustomSource,
  EncodedPacketSink,
  Input,
  MP4,
  QTFF,
  WEBM,
  type InputFormat,
  type InputTrack,
} from 'mediabunny';
import type { MediaKind } from '../../schema/media.ts';
import type { MediaSource } from '../platforms/platform.ts';
import { imageEnd } from './image-end.ts';
import { openImage, readBytes, readHeader, unreadable, withImage } from './images.ts';
import { hasLocation } from './location.ts';
import { MediaError } from './media-error.ts';

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

const videoTypes: Record<string, { contentType: string; format: InputFormat }> = {
  'video/mp4': { contentType: 'video/mp4', format: MP4 },
  'video/x-m4v': { contentType: 'video/mp4', format: MP4 },
  'video/quicktime': { contentType: 'video/quicktime', format: QTFF },
  'video/webm': { contentType: 'video/webm', format: WEBM },
};

const takenTypes = [
  ...new Set(
    [...Object.values(imageTypes), ...Object.values(videoTypes)].map((type) => type.contentType),
  ),
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
  const message = `The bytes are ${type.mime}. Fanfare takes ${takenTypes}.`;
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
    const needsCleaning = orientation !== 1 || end < bytes.length || hasLocation(metadata);
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

/** At most this much of a video is read at once, such as its index, and in all. */
const maxReadBytes = 33_554_432;
const maxTotalReadBytes = 134_217_728;

async function probeVideo(
  source: MediaSource,
  { contentType, format }: { contentType: string; format: InputFormat },
): Promise<Probed> {
  let read = 0;
  let failure: unknown;
  const readRange = async (start: number, end: number) => {
    try {
      read += end - start;
      if (end - start > maxReadBytes || read > maxTotalReadBytes) {
        throw new MediaError('media_invalid', 'The index of the video is too large.');
      }
      return await readBytes(source, { start, end: end - 1 });
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  using input = new Input({
    formats: [format],
    source: new CustomSource({
      getSize: () => source.bytes,
      read: readRange,
      prefetchProfile: 'fileSystem',
      // The read that waits for these bytes fails with it.
      handleUnhandledError: () => {},
    }),
  });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) throw new MediaError('media_invalid', 'The file has no video track.');
    const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
    const tracks = await input.getTracks();
    for (const one of tracks) await readLastPacket(one);
    const duration = await input.computeDuration();
    if (format === WEBM) checkDuration(duration, await input.getDurationFromMetadata());
    const durationMs = Math.round(duration * 1_000);
    if (!(width > 0 && height > 0 && durationMs > 0)) throw new MediaError('media_invalid');
    return { kind: 'video', contentType, width, height, durationMs, needsCleaning: false };
  } catch (error) {
    if (failure !== undefined) throw failure;
    if (error instanceof MediaError) throw error;
    throw cutShort(error);
  }
}

/** A WebM file that is cut short lacks its last packets, but still declares their duration. */
function checkDuration(duration: number, declared: number | null): void {
  if (declared !== null && declared - duration > Math.max(0.5, declared * 0.05)) throw cutShort();
}

/** It is missing from a file that is cut short. */
async function readLastPacket(track: InputTrack): Promise<void> {
  const sink = new EncodedPacketSink(track);
  const packet = await sink.getPacket(Infinity);
  if (!packet || packet.data.length === 0) throw cutShort();
}

function cutShort(cause?: unknown): MediaError {
  return new MediaError('media_invalid', 'The video is damaged or cut short.', { cause });
}
