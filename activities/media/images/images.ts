// Reads and fits images in processes of their own, a few at a time, in turns between projects.
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageLimits } from '../../../schema/media.ts';
import type { FitPlan } from '../../platforms/media-rules.ts';
import type { MediaSource } from '../../platforms/platform.ts';
import { MediaError } from '../media-error.ts';
import type { EncodedImage, ImageJob, ReadImage } from './job.ts';
import { createImageProcess } from './process.ts';
import { createTurns } from '../turns.ts';

export interface ImageType {
  contentType: string;
  /** As the decoder names it. */
  format: string;
}

/** A file that is removed when it is disposed of. */
export interface FittedImage extends AsyncDisposable {
  /** Its size. */
  bytes: number;
  contentType: string;
  /** In pixels. */
  width: number;
  height: number;
  /** In parts of `partBytes`, except for the last. */
  open(partBytes: number): AsyncIterable<Uint8Array>;
}

/** Both throw a `MediaError` if the image can't be used, and errors of the source as they are. */
export interface Images {
  read(projectId: string, source: MediaSource, type: ImageType): Promise<ReadImage>;
  /** Lowers the quality, then the size, until the image fits. */
  fit(projectId: string, source: MediaSource, plan: FitPlan): Promise<FittedImage>;
  close(): Promise<void>;
}

/** Without a limit of bytes, the first quality is used. With one, the others in order. */
const qualities: Readonly<Record<string, readonly [best: number, ...others: number[]]>> = {
  'image/jpeg': [90, 85, 75, 65, 55],
  'image/png': [100, 100],
  'image/webp': [90, 85, 75, 65, 55],
  'image/gif': [100, 100],
  'image/avif': [65, 60, 50, 40, 30],
};

const maxTries = 12;

/** An encoding of these may have several frames. */
const animated: ReadonlySet<string> = new Set(['image/gif', 'image/webp']);

const { maxBytes: maxFileBytes } = imageLimits;

export function createImages(): Images {
  // Each type of work has its process, so that a long animation keeps no picture waiting.
  const pictures = createLane(imageLimits.pictureMemoryBytes);
  const animations = createLane(imageLimits.animationMemoryBytes);

  async function fitInto(
    folder: string,
    projectId: string,
    { contentType, maxBytes, ...limits }: FitPlan,
  ): Promise<EncodedImage & { path: string }> {
    const [best, ...others] = qualities[contentType] ?? [];
    if (best === undefined) throw new Error(`No encoder for ${contentType}`);
    const steps = maxBytes === null ? [best] : others;
    const [path, to] = [join(folder, source), join(folder, 'fitted')];
    const isAnimation = animated.has(contentType) && (await countFrames(projectId, path)) > 1;
    const lane = isAnimation ? animations : pictures;
    let leftMs: number = imageLimits.fitCpuMs;
    let factor = 1;
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const quality = steps[attempt] ?? steps.at(-1)!;
      const encoding = { contentType, quality, ...limits, factor };
      // Each try waits for a turn of its own.
      const encoded = await lane(projectId, { kind: 'encode', path, to, encoding }, leftMs);
      if (maxBytes === null || encoded.done.bytes <= maxBytes) return { ...encoded.done, path: to };
      leftMs -= encoded.cpuMs;
      if (attempt + 1 >= steps.length) {
        const guess = Math.sqrt(maxBytes / encoded.done.bytes) * 0.95;
        factor *= Math.min(Math.max(guess, 0.25), 0.9);
      }
    }
    const message = `The image can't be made to fit into ${maxBytes!} bytes.`;
    throw new MediaError('media_too_large', message);
  }

  async function countFrames(projectId: string, path: string): Promise<number> {
    const job = { kind: 'frames', path } as const;
    const { done } = await pictures(projectId, job, imageLimits.readCpuMs);
    return done;
  }

  return {
    async read(projectId, image, type) {
      const folder = await store(image);
      try {
        const job = { kind: 'read', path: join(folder, source), ...type } as const;
        const { done } = await pictures(projectId, job, imageLimits.readCpuMs);
        return done;
      } finally {
        await remove(folder);
      }
    },

    async fit(projectId, image, plan) {
      const folder = await store(image);
      try {
        const { path, ...encoded } = await fitInto(folder, projectId, plan);
        return {
          ...encoded,
          contentType: plan.contentType,
          open: (partBytes) => createReadStream(path, { highWaterMark: partBytes }),
          [Symbol.asyncDispose]: () => remove(folder),
        };
      } catch (error) {
        await remove(folder);
        throw error;
      }
    },

    async close() {
      await Promise.all([pictures.close(), animations.close()]);
    },
  };
}

/** A process whose jobs are in turns between projects. */
function createLane(maxMemoryBytes: number) {
  const images = createImageProcess(maxMemoryBytes);
  const inTurn = createTurns();
  const run = <Job extends ImageJob>(projectId: string, job: Job, maxCpuMs: number) =>
    inTurn(projectId, () => images.run(job, maxCpuMs));
  return Object.assign(run, { close: () => images.close() });
}

/** Name of the image in its folder. */
const source = 'source';

/** The decoder reads a file, so that the image is in no memory. Returns a folder with it. */
async function store(image: MediaSource): Promise<string> {
  if (image.bytes > maxFileBytes) {
    const message = `The image has ${image.bytes} bytes. Fanfare accepts at most ${maxFileBytes}.`;
    throw new MediaError('media_too_large', message);
  }
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-image-'));
  try {
    await writeFile(join(folder, source), image.open());
    return folder;
  } catch (error) {
    await remove(folder);
    throw error;
  }
}

const remove = (folder: string) => rm(folder, { recursive: true, force: true });
