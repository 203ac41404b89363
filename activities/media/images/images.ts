// Reads and fits images in separate processes. Projects share the time of these processes.
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageLimits } from '../../../schema/media.ts';
import { createFairPlaces } from '../../fair-places.ts';
import type { FitPlan } from '../../platforms/media-rules.ts';
import type { MediaSource } from '../../platforms/platform.ts';
import { MediaError } from '../media-error.ts';
import { animatedTypes, type EncodedImage, type ReadImage } from './job.ts';
import { createImageProcess, type ImageProcess } from './process.ts';

export interface ImageType {
  contentType: string;
  /** The format's name in the decoder. */
  format: string;
}

/** A file that is removed when the object is disposed of. */
export interface FittedImage extends EncodedImage, AsyncDisposable {
  contentType: string;
  /** Yields parts of `partBytes`. The last part may be smaller. */
  open(partBytes: number): AsyncIterable<Uint8Array>;
}

type CpuLimits = Record<'fitCpuMs' | 'turnCpuMs', number>;

/**
 * Both methods throw a `MediaError` if the image can't be used. They pass on errors of the source unchanged.
 */
export interface Images {
  read(projectId: string, source: MediaSource, type: ImageType): Promise<ReadImage>;
  /** Lowers the quality, then the size, until the image fits. */
  fit(projectId: string, source: MediaSource, plan: FitPlan): Promise<FittedImage>;
  close(): Promise<void>;
}

/**
 * Without a limit of bytes, the first quality is used. With a limit, further qualities are tried in order.
 */
const qualities: Readonly<Record<string, readonly [best: number, ...others: number[]]>> = {
  'image/jpeg': [90, 85, 75, 65, 55],
  'image/png': [100, 100],
  'image/webp': [90, 85, 75, 65, 55],
  'image/gif': [100, 100],
  'image/avif': [65, 60, 50, 40, 30],
};

const maxTries = 12;
/** Number of images that are copied to the temporary folder at the same time. */
const maxCopies = 8;

const { maxBytes: maxFileBytes, pictureCpuMs } = imageLimits;

export function createImages(cpuLimits: Partial<CpuLimits> = {}): Images {
  const limits = { ...imageLimits, ...cpuLimits };
  // Two processes, so that no picture waits for a long animation.
  const pictures = createSharedProcess(imageLimits.pictureMemoryBytes);
  const animations = createSharedProcess(imageLimits.animationMemoryBytes);
  const withCopy = createFairPlaces(maxCopies);

  async function fitInto(
    folder: string,
    projectId: string,
    plan: FitPlan,
  ): Promise<EncodedImage & { path: string }> {
    const [path, to] = [join(folder, source), join(folder, 'fitted')];
    const tryInTurn = createTries({ path, to }, plan, limits);
    const hasFrames = async (child: ImageProcess) =>
      animatedTypes.has(plan.contentType) &&
      (await child.run({ kind: 'frames', path }, pictureCpuMs)).done > 1;
    // Undefined until the first turn, which counts the frames.
    let isAnimation: boolean | undefined;
    for (;;) {
      const encoded = isAnimation
        ? await animations(projectId, (child) => tryInTurn(child, limits.fitCpuMs))
        : await pictures(projectId, async (child) => {
            isAnimation ??= await hasFrames(child);
            return isAnimation ? undefined : tryInTurn(child, pictureCpuMs);
          });
      if (encoded) return { ...encoded, path: to };
    }
  }

  return {
    read: (projectId, image, type) =>
      withCopy(projectId, async () => {
        await using files = new AsyncDisposableStack();
        const folder = await store(image, files);
        const job = { kind: 'read', path: join(folder, source), ...type } as const;
        const { done } = await pictures(projectId, (child) => child.run(job, pictureCpuMs));
        return done;
      }),

    fit: (projectId, image, plan) =>
      withCopy(projectId, async () => {
        await using files = new AsyncDisposableStack();
        const folder = await store(image, files);
        const { path, ...encoded } = await fitInto(folder, projectId, plan);
        await rm(join(folder, source));
        const kept = files.move();
        return {
          ...encoded,
          contentType: plan.contentType,
          open: (partBytes) => createReadStream(path, { highWaterMark: partBytes }),
          [Symbol.asyncDispose]: () => kept.disposeAsync(),
        };
      }),

    async close() {
      await Promise.all([pictures.close(), animations.close()]);
    },
  };
}

/** Encodes the image until it fits. Undefined: the image has used up its turn, and needs another turn. */
function createTries(
  files: { path: string; to: string },
  { contentType, maxBytes, ...limits }: FitPlan,
  { fitCpuMs, turnCpuMs }: CpuLimits,
): (child: ImageProcess, maxCpuMs: number) => Promise<EncodedImage | undefined> {
  const [best, ...others] = qualities[contentType] ?? [];
  if (best === undefined) throw new Error(`No encoder for ${contentType}`);
  const steps = maxBytes === null ? [best] : others;
  let leftMs = fitCpuMs;
  let tries = 0;
  let factor = 1;
  return async function tryInTurn(child, maxCpuMs) {
    let usedMs = 0;
    do {
      const quality = steps[tries] ?? steps.at(-1)!;
      const encoding = { contentType, quality, ...limits, factor };
      const job = { kind: 'encode', ...files, encoding } as const;
      const { done, cpuMs } = await child.run(job, Math.min(leftMs, maxCpuMs) - usedMs);
      if (maxBytes === null || done.bytes <= maxBytes) return done;
      if (++tries === maxTries) {
        const message = `The image can't be made to fit into ${maxBytes} bytes.`;
        throw new MediaError('media_too_large', message);
      }
      usedMs += cpuMs;
      if (tries >= steps.length) {
        const guess = Math.sqrt(maxBytes / done.bytes) * 0.95;
        factor *= Math.min(Math.max(guess, 0.25), 0.9);
      }
    } while (usedMs < turnCpuMs);
    leftMs -= usedMs;
    return undefined;
  };
}

/** A process with one place, which projects share. */
function createSharedProcess(maxMemoryBytes: number) {
  const images = createImageProcess(maxMemoryBytes);
  const inPlace = createFairPlaces(1);
  const inTurn = <T>(projectId: string, work: (child: ImageProcess) => Promise<T>) =>
    inPlace(projectId, () => work(images));
  return Object.assign(inTurn, { close: () => images.close() });
}

/** Name of the image in its folder. */
const source = 'source';

/**
 * Writes the image to a folder that is removed with `files`. The decoder reads the file, so this process never holds
 * the whole image.
 */
async function store(image: MediaSource, files: AsyncDisposableStack): Promise<string> {
  if (image.bytes > maxFileBytes) {
    const message = `The image has ${image.bytes} bytes. Fanfare accepts at most ${maxFileBytes}.`;
    throw new MediaError('media_too_large', message);
  }
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-image-'));
  files.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, source), image.open());
  return folder;
}
