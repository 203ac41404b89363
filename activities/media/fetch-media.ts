// The activity of `fetchMedia`: fetches media from their URL, stores them, and decides what they are.
import { createHash } from 'node:crypto';
import { cancellationSignal } from '@temporalio/activity';
import { countFailedFetch, failMedia } from '../../schema/database/media/fetching.ts';
import { findMedia } from '../../schema/database/media/rows.ts';
import { rewindMedia } from '../../schema/database/media/segments.ts';
import { failScheduledTargets } from '../../schema/database/posts/fail-scheduled.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import type { Db, MediaRow } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { nextFetchDelay } from '../../schema/retry.ts';
import type { FetchMediaInput } from '../../schema/workflows.ts';
import type { SafeFetch } from '../egress/client.ts';
import { asProject } from '../current-project.ts';
import { createFairPlaces } from '../fair-places.ts';
import { createKeyedCounter } from '../keyed-limits.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { completeMedia } from './complete.ts';
import {
  defaultDownloadLimits,
  download,
  DownloadError,
  tooLarge,
  type DownloadLimits,
} from './download.ts';
import { findProjectRoom } from './project-room.ts';
import {
  removeBytes,
  withWriter,
  writeSegments,
  WriteError,
  type HeldWriter,
  type SegmentDependencies,
} from './segments.ts';
import { StoreError, type MediaStorage } from './store/store.ts';

export interface FetchingDependencies {
  db: Db;
  notifier: Notifier;
  safeFetch: Pick<SafeFetch, 'download'>;
  /** Undefined: this installation stores no media. */
  media?: MediaStorage | undefined;
  downloadLimits?: DownloadLimits;
}

/** Milliseconds until the next fetch. Null: no further fetch is needed. */
export type FetchProgress = number | null;

/** Maximum number of fetches at a time. Each fetch uses up to 8 MiB of memory, for two segments. */
const maxFetches = 16;
/** Maximum number of a project's waiting fetches. Each of these fetches holds a slot for activities. */
const maxWaitingOfProject = 20;
const crowdedMs = 10_000;
/** The wait while another fetch has the lease. If the worker of that fetch is dead, the lease ends soon. */
const takenMs = 5_000;

export function createFetching(dependencies: FetchingDependencies) {
  const inPlace = createFairPlaces(maxFetches);
  const waiting = createKeyedCounter();

  async function fetchWithinLimits({ mediaId }: FetchMediaInput): Promise<FetchProgress> {
    const row = await findMedia(dependencies.db, mediaId);
    if (row?.status === 'failed') await failTargets(dependencies, row);
    if (row?.status !== 'pending') return null;
    const { project_id: projectId } = row;
    if (waiting.get(projectId) >= maxWaitingOfProject) return crowdedMs;
    const signal = cancellationSignal();
    const work = () => {
      waiting.remove(projectId);
      signal.throwIfAborted();
      return fetchOnce(dependencies, mediaId, signal);
    };
    waiting.add(projectId);
    const progress = await inPlace(projectId, work);
    // After a crash at this point, the activity runs again and finds that the media have failed.
    const ended = progress === null ? await findMedia(dependencies.db, mediaId) : undefined;
    if (ended?.status === 'failed') await failTargets(dependencies, ended);
    return progress;
  }

  return {
    fetchBytes: (input: FetchMediaInput): Promise<FetchProgress> =>
      withHeartbeat(() => fetchWithinLimits(input)),
  };
}

/**
 * Fails the targets of scheduled posts now rather than when they are due, so that the posts can still be
 * changed.
 */
function failTargets({ db, notifier }: FetchingDependencies, row: MediaRow): Promise<void> {
  return inTransaction(db, notifier, (trx) => failScheduledTargets(trx, row));
}

/** Starts over from the first byte. Only one fetch of the media runs at a time. */
export async function fetchOnce(
  dependencies: FetchingDependencies,
  mediaId: string,
  signal: AbortSignal,
): Promise<FetchProgress> {
  const { db } = dependencies;
  const progress = await withWriter(db, mediaId, (writer) => fetchAs(writer, dependencies, signal));
  if (progress !== undefined) return progress;
  return (await findMedia(db, mediaId))?.status === 'pending' ? takenMs : null;
}

async function fetchAs(
  writer: HeldWriter,
  dependencies: FetchingDependencies,
  signal: AbortSignal,
): Promise<FetchProgress> {
  const { db, notifier, media } = dependencies;
  const { mediaId, writerId } = writer;
  try {
    if (!media) throw new StoreError('unavailable', 'This worker has no media store.');
    const sha256 = await storeBytes(dependencies, media, writer, signal);
    const done = await completeMedia({ db, notifier, ...media }, mediaId, {
      sha256,
      writerId,
    });
    return done?.status === 'pending' ? takenMs : null;
  } catch (error) {
    if (error instanceof WriteError && error.code === 'taken_over') return takenMs;
    const { code, message, isFinal } = toDownloadError(error);
    if (!isFinal) {
      const { failures, dueInMs } = await countFailedFetch(db, mediaId, message);
      const waitMs = nextFetchDelay(failures, dueInMs);
      if (waitMs !== null) return waitMs;
    }
    if (!(await rewindMedia(db, writer, 0))) return takenMs;
    if (media) await removeFailed({ db, store: media.store }, mediaId);
    await inTransaction(db, notifier, (trx) => failMedia(trx, mediaId, code, message));
    return null;
  }
}

/** An error of the store counts like a failed download: the URL is fetched again after the same waits. */
function toDownloadError(error: unknown): DownloadError {
  if (error instanceof DownloadError) return error;
  if (!(error instanceof StoreError)) throw error;
  return new DownloadError(error.message, { isFinal: false, cause: error });
}

/** If the store fails, retention removes the bytes later. */
async function removeFailed(dependencies: SegmentDependencies, mediaId: string): Promise<void> {
  await removeBytes(dependencies, mediaId).catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
  });
}

/** Returns the SHA-256 of the bytes. */
async function storeBytes(
  { db, safeFetch, downloadLimits: limits = defaultDownloadLimits }: FetchingDependencies,
  media: MediaStorage,
  { mediaId, writerId, row, signal: leaseSignal }: HeldWriter,
  signal: AbortSignal,
): Promise<string> {
  const { project_id, url } = row;
  const room = await findProjectRoom(db, media, row);
  const maxBytes = Math.max(0, Math.min(media.maxBytes, room));
  const body = await asProject(project_id, () =>
    download(safeFetch.download, { url: url!, maxBytes, limits, signal }),
  );
  const hash = createHash('sha256');
  async function* hashed() {
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    const stream = ReadableStream.from(hashed());
    const writer = { mediaId, writerId, signal: leaseSignal };
    await writeSegments({ db, store: media.store }, { ...writer, from: 0, stream, maxBytes });
  } catch (error) {
    throw error instanceof WriteError && error.code === 'too_large' ? tooLarge(maxBytes) : error;
  }
  return hash.digest('hex');
}
