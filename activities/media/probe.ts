// Reads the type and the facts of a file from its bytes. Ignores the name and the declared type.
import { fileTypeFromBuffer } from 'file-type';
import type { MediaKind } from '../../schema/media.ts';
import type { MediaSource } from '../platforms/platform.ts';
import type { ImageType } from './images/images.ts';
import type { ReadImage } from './images/job.ts';
import { MediaError } from './media-error.ts';
import { readBytes } from './read-bytes.ts';
import type { MediaReaders } from './store/store.ts';

export interface Probed extends Pick<ReadImage, 'needsCleaning'> {
  kind: MediaKind;
  contentType: string;
  /** In pixels. Null for a document. */
  width: number | null;
  height: number | null;
  /** Null unless the file is a video. */
  durationMs: number | null;
}

const imageTypes: Record<string, ImageType> = {
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

const documentType = 'application/pdf';

const acceptedTypes = [
  ...new Set([
    ...Object.values(imageTypes).map((type) => type.contentType),
    ...Object.values(videoTypes),
    documentType,
  ]),
].join(', ');

/** The detection of a type needs this many bytes. */
const sampleBytes = 4_100;

/** Throws a `MediaError` if the file is not usable. Passes on errors of the source unchanged. */
export async function probe(
  { images, readVideo }: MediaReaders,
  projectId: string,
  source: MediaSource,
): Promise<Probed> {
  if (source.bytes === 0) throw new MediaError('media_invalid', 'The file is empty.');
  const end = Math.min(sampleBytes, source.bytes) - 1;
  const type = await fileTypeFromBuffer(await readBytes(source, { start: 0, end }));
  if (!type) throw new MediaError('media_invalid');
  const image = imageTypes[type.mime];
  if (image) {
    const read = await images.read(projectId, source, image);
    return { kind: 'image', contentType: image.contentType, durationMs: null, ...read };
  }
  const video = videoTypes[type.mime];
  if (video) {
    const facts = await readVideo(projectId, source, video);
    if (!(facts.width > 0 && facts.height > 0 && facts.durationMs > 0)) {
      throw new MediaError('media_invalid');
    }
    return { kind: 'video', contentType: video, ...facts, needsCleaning: false };
  }
  if (type.mime === documentType) {
    // Nothing decodes a document, so nothing can be wrong with it here.
    const unknown = { width: null, height: null, durationMs: null, needsCleaning: false };
    return { kind: 'document', contentType: documentType, ...unknown };
  }
  const message = `The bytes are ${type.mime}. Fanfare accepts ${acceptedTypes}.`;
  throw new MediaError('media_invalid', message);
}
