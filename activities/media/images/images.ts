// Reads and fits images in processes of their own, whose time projects share.
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageLimits } from '../../../schema/media.ts';
import { createFairPlaces } from '../../fair-places.ts';
import type { FitPlan } from '../../platforms/media-rules.ts';
import type { MediaSource } from '../../platforms/platform.ts';
import { MediaError } from '../media-error.ts';
import { animatedTypes, type EncodedImage, type ImageJob, type ReadImage } from './job.ts';
import { createImageProcess } from './process.ts';

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
/** Images that are copied to the temporary folder at once. */
const maxCopies = 8;

const { maxBytes: maxFileBytes } = imageLimits;

export function createImages(): Images {
  // Two processes, so that no picture waits for a long animation.
  const pictures = createSharedProcess(imageLimits.pictureMemoryBytes);
  const animations = createSharedProcess(imageLimits.animationMemoryBytes);
  const withCopy = createFairPlaces(maxCopies);

  async function fitInto(
    folder: string,
    projectId: string,
    { contentType, maxBytes, ...limits }: FitPlan,
  ): Promise<EncodedImage & { path: string }> {
    const [best, ...others] = qualities[contentType] ?? [];
    if (best === undefined) throw new Error(`No encoder for ${contentType}`);
    const steps = maxBytes === null ? [best] : others;
    const [path, to] = [join(folder, source), join(folder, 'fitted')];
    const isAnimation = animatedTypes.has(contentType) && (await countFrames(projectId, path)) > 1;
    const runShared = isAnimation ? animations : pictures;
    let leftMs: number = imageLimits.fitCpuMs;
    let factor = 1;
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const quality = steps[attempt] ?? steps.at(-1)!;
      const encoding = { contentType, quality, ...limits, factor };
      // Another project's image may come between two tries.
      const encoded = await runShared(projectId, { kind: 'encode', path, to, encoding }, leftMs);
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
    read: (projectId, image, type) =>
      withCopy(projectId, async () => {
        const folder = await store(image);
        try {
          const job = { kind: 'read', path: join(folder, source), ...type } as const;
          const { done } = await pictures(projectId, job, imageLimits.readCpuMs);
          return done;
        } finally {
          await remove(folder);
        }
      }),

    fit: (projectId, image, plan) =>
      withCopy(projectId, async () => {
        const folder = await store(image);
        try {
          const { path, ...encoded } = await fitInto(folder, projectId, plan);
          await remove(join(folder, source));
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
      }),

    async close() {
      await Promise.all([pictures.close(), animations.close()]);
    },
  };
}

/** A process with one place, which projects share. */
function createSharedProcess(maxMemoryBytes: number) {
  const images = createImageProcess(maxMemoryBytes);
  const inPlace = createFairPlaces(1);
  const run = <Job extends ImageJob>(projectId: string, job: Job, maxCpuMs: number) =>
    inPlace(projectId, () => images.run(job, maxCpuMs));
  return Object.assign(run, { close: () => images.close() });
}

/** Name of the image in its folder. */
const source = 'source';

/** Returns a folder with the image, since the decoder reads files. The memory of this process has no image. */
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
