// A file as the media of a target, read in ranges without being held in memory.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import type { TargetMedia } from '../../activities/platforms/platform.ts';

/** Node frees buffers late. Small ones are freed earlier, because more objects come with them. */
const readBytes = 16_384;

export function fileMedia(path: string, change: Partial<TargetMedia> = {}): TargetMedia {
  return {
    id: 'media_of_a_file',
    kind: 'video',
    contentType: 'video/mp4',
    filename: 'video.mp4',
    sha256: '',
    url: null,
    thumbnail: null,
    bytes: statSync(path).size,
    width: 1_920,
    height: 1_080,
    durationMs: 60_000,
    altText: null,
    open: (range) => Readable.toWeb(createReadStream(path, { ...range, highWaterMark: readBytes })),
    ...change,
  };
}

export interface MediaFiles extends AsyncDisposable {
  /** A plain image of this size. */
  image(change?: Partial<TargetMedia>): Promise<TargetMedia>;
  /** A file that begins as a video does. */
  video(change?: Partial<TargetMedia>): Promise<TargetMedia>;
}

const extensions: Record<string, string> = { 'image/jpeg': 'jpg', 'video/mp4': 'mp4' };

/** Media in a folder of their own. No two are alike. */
export async function createMediaFiles(): Promise<MediaFiles> {
  const directory = await mkdtemp(join(tmpdir(), 'fanfare-media-'));
  let count = 0;
  async function write(bytes: Buffer, facts: Partial<TargetMedia>): Promise<TargetMedia> {
    const number = ++count;
    const extension = extensions[facts.contentType!] ?? facts.contentType!.split('/')[1]!;
    const filename = `file-${number}.${extension}`;
    const path = join(directory, filename);
    await writeFile(path, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return fileMedia(path, { id: `media_${number}`, filename, sha256, ...facts });
  }
  return {
    image({ width = 64, height = 48, contentType = 'image/jpeg', ...change } = {}) {
      const [r, g, b] = randomBytes(3);
      const background = { r: r!, g: g!, b: b! };
      const format = contentType.split('/')[1] as 'jpeg' | 'png' | 'webp' | 'gif';
      const image = sharp({ create: { width, height, channels: 3, background } }).toFormat(format);
      const facts = { kind: 'image', contentType, width, height, durationMs: null } as const;
      return image.toBuffer().then((bytes) => write(bytes, { ...facts, ...change }));
    },
    video: (change) =>
      write(Buffer.concat([mp4Head, randomBytes(1_000)]), { contentType: 'video/mp4', ...change }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

/** The boxes `ftyp` and `mdat`, without a track. */
const mp4Head = Buffer.from('\0\0\0\x14ftypisom\0\0\x02\0mp41\0\0\x03\xf0mdat', 'latin1');

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
