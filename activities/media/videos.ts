// Reads the facts of a video in a thread. A hostile file can end that thread without harm to others.
import { Worker } from 'node:worker_threads';
import type { MediaErrorCode } from '../../schema/media.ts';
import { createFairPlaces } from '../fair-places.ts';
import type { MediaSource } from '../platforms/platform.ts';
import { MediaError } from './media-error.ts';
import { readBytes } from './read-bytes.ts';
import { StoreError, type MediaReaders, type VideoFacts } from './store/store.ts';

interface VideoLimits {
  cpuMs: number;
  /** The time that the thread waits for bytes counts too. */
  wallMs: number;
}

export interface ThreadInput {
  bytes: number;
  contentType: string;
}

/**
 * A message of the thread. A `read` is answered with a `ThreadRange`. Any other message is the thread's last
 * message.
 */
export type ThreadMessage =
  | { kind: 'read'; id: number; start: number; end: number }
  | { kind: 'facts'; facts: VideoFacts }
  | { kind: 'refused'; code: MediaErrorCode; message: string }
  | { kind: 'damaged'; message: string };

/** Bytes that the thread has asked for. */
export interface ThreadRange {
  id: number;
  bytes: Uint8Array;
}

/** Maximum size of one read, such as of the index, and of all reads of a video together. */
const maxReadBytes = 33_554_432;
const maxTotalReadBytes = 134_217_728;
/** Maximum heap of a thread. The bytes that the thread reads don't count. */
const maxHeapMb = 192;
/** Limits for a whole video. Even the index of a film takes only a fraction of a second. */
const defaultLimits = { cpuMs: 4_500, wallMs: 20_000 } as const;
const checkEveryMs = 250;

/** Reads one video at a time. */
export function createVideoReader(limits: VideoLimits = defaultLimits): MediaReaders['readVideo'] {
  const inPlace = createFairPlaces(1);
  return (projectId, source, contentType) =>
    inPlace(projectId, () => readInThread(source, contentType, limits));
}

async function readInThread(
  source: MediaSource,
  contentType: string,
  limits: VideoLimits,
): Promise<VideoFacts> {
  const workerData: ThreadInput = { bytes: source.bytes, contentType };
  const worker = new Worker(new URL('video-thread.ts', import.meta.url), {
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const tooSlow = limitTime(worker, limits);
  try {
    return await Promise.race([serve(worker, source), tooSlow.promise]);
  } finally {
    tooSlow.stop();
    await worker.terminate();
  }
}

/** Rejects once the thread has used too much time. Only too much CPU time is the fault of the video. */
function limitTime(
  worker: Worker,
  { cpuMs, wallMs }: VideoLimits,
): { promise: Promise<never>; stop(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const startedMs = performance.now();
  const check = async () => {
    if (performance.now() - startedMs > wallMs) {
      reject(new StoreError('unavailable', 'Reading the video took too long.'));
    }
    // Fails if the thread has just ended.
    const used = await worker.cpuUsage().catch(() => undefined);
    if (used && (used.user + used.system) / 1_000 > cpuMs) reject(tooLarge());
  };
  const timer = setInterval(() => void check(), checkEveryMs);
  return { promise, stop: () => clearInterval(timer) };
}

function serve(worker: Worker, source: MediaSource): Promise<VideoFacts> {
  let read = 0;
  const { promise, resolve, reject } = Promise.withResolvers<VideoFacts>();

  async function answer(id: number, start: number, end: number): Promise<void> {
    read += end - start;
    if (end - start > maxReadBytes || read > maxTotalReadBytes) throw tooLarge();
    const bytes = await readBytes(source, { start, end: end - 1 });
    const range: ThreadRange = { id, bytes };
    worker.postMessage(range, [bytes.buffer as ArrayBuffer]);
  }

  worker.on('message', (message: ThreadMessage) => {
    switch (message.kind) {
      case 'read':
        return void answer(message.id, message.start, message.end).catch(reject);
      case 'facts':
        return resolve(message.facts);
      case 'refused':
        return reject(new MediaError(message.code, message.message));
      case 'damaged':
        return reject(cutShort(message.message));
    }
  });
  worker.on('error', (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : error),
  );
  worker.on('exit', () => reject(cutShort('The thread ended.')));
  return promise;
}

function tooLarge(): MediaError {
  return new MediaError('media_invalid', 'The index of the video is too large.');
}

function cutShort(cause: unknown): MediaError {
  return new MediaError('media_invalid', 'The video is damaged or cut short.', { cause });
}
