// A file as the media of a target, read in ranges without being held in memory.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
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
