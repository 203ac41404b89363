// Images, videos and documents as the media of a target.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp, { type FormatEnum } from 'sharp';
import type { TargetMedia } from '../../../activities/platforms/platform.ts';

const videoFacts = {
  kind: 'video',
  contentType: 'video/mp4',
  filename: 'video.mp4',
  url: null,
  thumbnail: null,
  thumbnailAtMs: null,
  width: 1_920,
  height: 1_080,
  durationMs: 60_000,
  altText: null,
} as const;

/** Some networks fetch media from a URL. For them, `hostMedia` replaces this function. */
const publicUrl: TargetMedia['publicUrl'] = () => {
  throw new Error('This file has no public URL.');
};

/** Noise of about 7,000 bytes as a PNG. No two images are alike. */
export async function createImage({
  contentType = 'image/png',
  width = 48,
  height = 48,
  ...change
}: Partial<TargetMedia> = {}): Promise<TargetMedia> {
  const raw = { width, height, channels: 3 } as const;
  const format = contentType.split('/')[1]!;
  const bytes = await sharp(randomBytes(width * height * 3), { raw })
    .toFormat(format as keyof FormatEnum)
    .toBuffer();
  return {
    ...inMemory(bytes),
    id: 'media_of_an_image',
    kind: 'image',
    contentType,
    filename: `image.${format === 'jpeg' ? 'jpg' : format}`,
    url: null,
    thumbnail: null,
    thumbnailAtMs: null,
    publicUrl,
    width,
    height,
    durationMs: null,
    altText: 'Noise',
    ...change,
  };
}

/** The boxes `ftyp` and `mdat`, without a track. */
const mp4Head = Buffer.from('\0\0\0\x14ftypisom\0\0\x02\0mp41\0\0\x03\xf0mdat', 'latin1');

/** A file that begins as a video does, and is a little longer than `size`. No two such files are alike. */
export function createVideo(change: Partial<TargetMedia> = {}, size = 1_000): TargetMedia {
  const bytes = Buffer.concat([mp4Head, randomBytes(size)]);
  return { ...inMemory(bytes), ...videoFacts, publicUrl, id: 'media_of_a_video', ...change };
}

const documentFacts = {
  kind: 'document',
  contentType: 'application/pdf',
  filename: 'document.pdf',
  url: null,
  thumbnail: null,
  thumbnailAtMs: null,
  width: 0,
  height: 0,
  durationMs: null,
  altText: null,
} as const;

/** A PDF document without pages. No two such files are alike. */
export function createPdf(): Buffer {
  return Buffer.from(`%PDF-1.7\n% ${randomBytes(16).toString('hex')}\n%%EOF\n`);
}

export function createDocument(change: Partial<TargetMedia> = {}): TargetMedia {
  return { ...inMemory(createPdf()), ...documentFacts, publicUrl, id: 'media_of_a_pdf', ...change };
}

function inMemory(bytes: Buffer): Pick<TargetMedia, 'bytes' | 'sha256' | 'open'> {
  const blob = new Blob([new Uint8Array(bytes)]);
  return {
    bytes: blob.size,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    open: (range) => (range ? blob.slice(range.start, range.end + 1) : blob).stream(),
  };
}

/**
 * A small size, because Node frees buffers late. It frees small buffers earlier, because more objects come
 * with them.
 */
const readBytes = 16_384;

/** A video, read in ranges without being held in memory. */
export function fileMedia(path: string, change: Partial<TargetMedia> = {}): TargetMedia {
  return {
    ...videoFacts,
    id: 'media_of_a_file',
    publicUrl,
    sha256: '',
    bytes: statSync(path).size,
    open: (range) => Readable.toWeb(createReadStream(path, { ...range, highWaterMark: readBytes })),
    ...change,
  };
}

export interface RandomFile extends AsyncDisposable {
  readonly path: string;
  readonly sha256: string;
}

const partBytes = 1_048_576;

/** A file of random bytes in a folder of its own. */
export async function createRandomFile(bytes: number): Promise<RandomFile> {
  const directory = await mkdtemp(join(tmpdir(), 'fanfare-media-'));
  const path = join(directory, 'video.mp4');
  const hash = createHash('sha256');
  await using file = await open(path, 'w');
  for (let left = bytes; left > 0; left -= partBytes) {
    const part = randomBytes(Math.min(left, partBytes));
    hash.update(part);
    await file.write(part);
  }
  return {
    path,
    sha256: hash.digest('hex'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}
