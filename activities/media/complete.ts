// Reads complete bytes and records the outcome: usable media, or a failure.
import { createHash } from 'node:crypto';
import { concludeMedia, type MediaOutcome } from '../../schema/database/media/complete.ts';
import { findMedia } from '../../schema/database/media/rows.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import type { MediaRow } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { mediaErrors } from '../../schema/media.ts';
import type { MediaSource } from '../platforms/platform.ts';
import { MediaError } from './media-error.ts';
import { probe } from './probe.ts';
import { openSource, type SegmentDependencies } from './segments.ts';
import type { MediaReaders } from './store/store.ts';

export interface CompleteDependencies extends SegmentDependencies, MediaReaders {
  notifier: Notifier;
}

export interface CompleteOptions {
  /** SHA-256 of all bytes, in hex. Default: computed by reading the bytes. */
  sha256?: string;
  /** The outcome is written only while this writer has the lease. Default: always. */
  writerId?: string;
}

/**
 * Call it when all bytes are stored, and again after a crash. Only the first outcome is written. Returns the
 * media after that. Undefined: the media no longer exist.
 */
export async function completeMedia(
  dependencies: CompleteDependencies,
  mediaId: string,
  { sha256, writerId }: CompleteOptions = {},
): Promise<MediaRow | undefined> {
  const { db, notifier } = dependencies;
  const row = await findMedia(db, mediaId);
  if (row?.status !== 'pending') return row;
  const source = openSource(dependencies, row);
  const outcome = await readOutcome(dependencies, row, source, sha256);
  return inTransaction(db, notifier, (trx) => concludeMedia(trx, row, outcome, writerId));
}

async function readOutcome(
  readers: MediaReaders,
  row: MediaRow,
  source: MediaSource,
  knownSha256: string | undefined,
): Promise<MediaOutcome> {
  try {
    if (row.declared_bytes !== null && row.declared_bytes !== source.bytes) {
      const message = `The file has ${source.bytes} bytes. ${row.declared_bytes} were declared.`;
      throw new MediaError('media_invalid', message);
    }
    const sha256 = knownSha256 ?? (await hash(source));
    if (row.declared_hash !== null && row.declared_hash !== sha256) {
      throw new MediaError('media_hash_mismatch', mediaErrors.media_hash_mismatch);
    }
    const probed = await probe(readers, row.project_id, source);
    const { kind, contentType, width, height, durationMs, needsCleaning } = probed;
    if (row.content_type !== null && kindOf(row.content_type) !== kind) {
      const message = `The file is ${contentType}. ${row.content_type} was declared.`;
      throw new MediaError('media_invalid', message);
    }
    return {
      status: 'uploaded',
      kind,
      content_type: contentType,
      size_bytes: source.bytes,
      sha256,
      width,
      height,
      duration_ms: durationMs,
      needs_cleaning: needsCleaning,
    };
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    return { status: 'failed', error_code: error.code, error_message: error.message };
  }
}

const kindOf = (contentType: string) =>
  contentType === 'application/pdf' ? 'document' : contentType.split('/', 1)[0];

async function hash(source: MediaSource): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of source.open()) sha256.update(chunk);
  return sha256.digest('hex');
}
