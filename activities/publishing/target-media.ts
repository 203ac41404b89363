// The media of a target before its call: waits for them, refuses them, or passes them to the network.
import { idsOf } from '../../schema/database/media/uses.ts';
import type { MediaRow } from '../../schema/database/tables.ts';
import { mediaFailureOf, mediaOf, type TargetRow } from '../../schema/database/posts/targets.ts';
import { postingErrors } from '../../schema/posts/errors.ts';
import type { PlatformRules } from '../../schema/platforms/definition.ts';
import type { MediaFailure } from '../media/load-media.ts';
import { StoreError } from '../media/store/store.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import type { TargetMedia } from '../platforms/platform.ts';
import { isSending, type NextStep } from './backoff.ts';
import type { AdvanceDependencies } from './dependencies.ts';

const firstWaitMs = 500;
const maxWaitMs = 15_000;

/** The rows of the target's media, in no order. Media that are gone have no row. */
export function listTargetMedia(
  { reads }: Pick<AdvanceDependencies, 'reads'>,
  row: TargetRow,
): Promise<MediaRow[]> {
  return reads.media(idsOf(mediaOf(row)));
}

/** Undefined: all media are usable, or the target has no media. */
export function findMediaObstacle(
  row: TargetRow,
  found: readonly MediaRow[],
): NextStep | MediaFailure | undefined {
  const ids = idsOf(mediaOf(row));
  const failure = findFailure(ids, found);
  if (failure) return failure;
  if (found.every(({ status }) => status !== 'pending')) return undefined;
  const mediaDelayMs = Math.min((row.clock.mediaDelayMs ?? firstWaitMs / 2) * 2, maxWaitMs);
  return { next: row.phase, waitMs: mediaDelayMs, clock: { ...row.clock, mediaDelayMs } };
}

/** For the log: the last error of a fetch that the target waits for, if there was an error. */
export function describeMediaWait(found: readonly MediaRow[]): string {
  const failing = found.find((row) => row.status === 'pending' && row.error_message !== null);
  return failing ? `${failing.id}: ${failing.error_message}` : 'The media have not arrived yet.';
}

/** Resets the wait for a call after the media have arrived, so that a later wait starts short again. */
export function withoutMediaWait(row: TargetRow): TargetRow {
  const { mediaDelayMs: _, ...clock } = row.clock;
  return { ...row, clock };
}

function findFailure(ids: string[], found: readonly MediaRow[]): MediaFailure | undefined {
  const failed = found.find(({ status }) => status === 'failed');
  if (failed) {
    const { code, message } = mediaFailureOf(failed);
    return { code, message: failed.url === null ? message : `${failed.url}: ${message}` };
  }
  const isGone = ids.some((id) => !found.some((row) => row.id === id && row.status !== 'deleted'));
  const code = 'media_expired';
  return isGone ? { code, message: postingErrors[code].message } : undefined;
}

/** Returns a PlatformError if the store doesn't answer, so that the target tries again. */
export async function loadTargetMedia(
  { loadMedia: load }: Pick<AdvanceDependencies, 'loadMedia'>,
  row: TargetRow,
  found: readonly MediaRow[],
  network: { title: string; rules: PlatformRules },
): Promise<readonly TargetMedia[] | MediaFailure | PlatformError> {
  try {
    const loaded = await load(row, found, network);
    // A check for the post needs no media.
    return 'code' in loaded && !isSending(row.phase) ? [] : loaded;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (!isSending(row.phase)) return [];
    const message = 'The media store did not answer.';
    return new PlatformError('unavailable', message, { cause: error });
  }
}
