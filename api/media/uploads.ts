// Receives the bytes of media at their upload URL. It reads Node's own request, so that bytes arrive no
// faster than they are stored, and a refusal is sent before the client sends its body.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFairPlaces } from '../../activities/fair-places.ts';
import { completeMedia } from '../../activities/media/complete.ts';
import { findProjectRoom } from '../../activities/media/project-room.ts';
import {
  withWriter,
  WriteError,
  writeSegments,
  type HeldWriter,
} from '../../activities/media/segments.ts';
import type { MediaStorage } from '../../activities/media/store/store.ts';
import { findMedia, findUpload } from '../../schema/database/media/rows.ts';
import { setUploadTotal } from '../../schema/database/media/segments.ts';
import type { MediaRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { isLinkToken } from '../http/auth/api-keys.ts';
import type { Context } from '../http/context.ts';
import { toAppError, toErrorAnswer } from '../http/errors.ts';
import { nameRequest } from '../http/request-id.ts';
import {
  checkSameTotal,
  checkSize,
  checkTotal,
  emptyFile,
  fullProject,
  requireStorage,
  uploadRefused,
  wrongSize,
} from './limits.ts';
import { presentMedia } from './operations.ts';
import {
  allowBrowser,
  alreadyRunning,
  drain,
  failure,
  headerOf,
  rangeOf,
  send,
  tooMany,
  translate,
  wrongStart,
} from './upload-answer.ts';
import {
  askForBody,
  readBody,
  readUploadRequest,
  type UploadRequest,
  type UploadTimes,
} from './upload-request.ts';

export interface Uploads {
  respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  /** Waits until the running uploads have stored what they received. */
  close(): Promise<void>;
}

export interface UploadOptions extends UploadTimes {
  /** Uploads at a time. */
  places: number;
  /** Longest wait for a place. */
  placeMs: number;
}

const defaults: UploadOptions = {
  stalledMs: 30_000,
  totalMs: 15 * 60_000,
  places: 8,
  placeMs: 5_000,
};

interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

const uploadPath = /^\/uploads\/(med_[0-9a-z]{26})$/;

export const isUploadUrl = (url: string) => url.startsWith('/uploads/');

export function createUploads(context: Context, options: Partial<UploadOptions> = {}): Uploads {
  const { places, placeMs, ...times } = { ...defaults, ...options };
  const running = new Set<Promise<void>>();
  const inPlace = createFairPlaces(places);

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const requestId = nameRequest(headerOf(incoming, 'x-request-id'));
    // If a client breaks off, reading the body fails too, and that error is handled there.
    incoming.on('error', () => undefined);
    try {
      await answer(incoming, outgoing, requestId);
    } catch (thrown) {
      if (incoming.destroyed && !incoming.complete) return;
      const error = toAppError(context, translate(thrown), requestId);
      const { status, headers, error: shown } = toErrorAnswer(context, error);
      const range = rangeOf(error.options.details?.['received_bytes']);
      send(outgoing, status, { ...headers, ...range }, { error: shown, request_id: requestId });
    } finally {
      drain(incoming);
    }
  }

  async function answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    requestId: string,
  ): Promise<void> {
    outgoing.setHeader('X-Request-Id', requestId);
    outgoing.setHeader('Access-Control-Allow-Origin', '*');
    outgoing.setHeader('Access-Control-Expose-Headers', 'Range, Retry-After, X-Request-Id');
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    const [, id] = uploadPath.exec(url.pathname) ?? [];
    if (id === undefined) {
      throw new AppError('not_found', `There is nothing at ${url.pathname.slice(0, 128)}.`);
    }
    if (incoming.method === 'OPTIONS') return allowBrowser(outgoing);
    if (incoming.method !== 'PUT') {
      outgoing.setHeader('Allow', 'PUT, OPTIONS');
      throw new AppError('method_not_allowed', 'An upload URL accepts only PUT.');
    }
    const storage = requireStorage(context);
    const row = await findAllowed(id, url.searchParams.getAll('token'));
    const request = readUploadRequest(incoming.headers);
    const media = await applyRequest(storage, row, request, { incoming, outgoing });
    if (media.status === 'failed') throw failure(media);
    const isComplete = media.status !== 'pending';
    const body = { data: presentMedia(media), request_id: requestId };
    send(outgoing, isComplete ? 200 : 308, isComplete ? {} : rangeOf(media.received_bytes), body);
  }

  async function findAllowed(id: string, tokens: string[]): Promise<MediaRow> {
    const row = await findUpload(context.db, id);
    const isValid = tokens.length === 1 && row && isLinkToken(row.upload_token_hash!, tokens[0]!);
    if (!isValid) {
      throw new AppError('upload_url_invalid', 'The upload URL is not valid.', {
        hint: 'Use the URL exactly as it was given, or renew it.',
      });
    }
    if (row.is_expired) {
      throw new AppError('upload_url_expired', 'The upload URL has expired.', {
        hint: 'Renew it with `POST /v1/media/:id/upload-url`. The bytes received so far are kept.',
      });
    }
    return row;
  }

  /** Returns the media after the request. If they are still pending, more bytes are missing. */
  async function applyRequest(
    storage: MediaStorage,
    row: MediaRow,
    request: UploadRequest,
    exchange: Exchange,
  ): Promise<MediaRow> {
    const { total } = request;
    const isPending = row.status === 'pending';
    if (isPending && request.kind !== 'whole') checkSameTotal(row, request.total);
    if (request.kind === 'ask' && (!isPending || row.received_bytes !== total)) {
      if (row.status === 'deleted') throw uploadRefused(row);
      return row;
    }
    if (!isPending) throw uploadRefused(row);
    if (total !== undefined) checkTotal(storage, row, total);
    const isReceived = request.kind !== 'whole' && row.received_bytes === total;
    if (isReceived) {
      return withPlace(row, ({ writerId }) => complete(storage, row.id, { writerId }));
    }
    if (request.kind === 'ask') return row;
    return withPlace(row, (writer) => receive(storage, writer, request, exchange));
  }

  /** Runs `work` once it is the only writer of the media, in a place of this server. */
  async function withPlace(
    row: MediaRow,
    work: (writer: HeldWriter) => Promise<MediaRow>,
  ): Promise<MediaRow> {
    const { db } = context;
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(tooMany()), placeMs);
    const begin = () => {
      clearTimeout(timer);
      return withWriter(db, row.id, work);
    };
    const media = await inPlace(row.project_id, begin, waiting.signal);
    if (media) return media;
    const current = await findMedia(db, row.id);
    if (current?.status !== 'pending') throw uploadRefused(current);
    throw alreadyRunning();
  }

  async function receive(
    storage: MediaStorage,
    { row, writerId, signal }: HeldWriter,
    request: Exclude<UploadRequest, { kind: 'ask' }>,
    { incoming, outgoing }: Exchange,
  ): Promise<MediaRow> {
    const room = await roomFor(storage, row, request);
    const from = request.kind === 'part' ? request.from : 0;
    if (request.kind === 'part') {
      checkSameTotal(row, request.total);
      if (from !== row.received_bytes) throw wrongStart(row);
    }
    const total = request.total ?? null;
    if (row.upload_total !== total) {
      await setUploadTotal(context.db, { mediaId: row.id, writerId }, total);
    }
    const end =
      request.kind === 'part' ? from + request.bytes : (request.total ?? row.declared_bytes);
    // A whole file is hashed while it arrives. A file in parts is read again once it is complete.
    const isWhole = from === 0 && (request.kind === 'whole' || end === request.total);
    const hash = isWhole ? createHash('sha256') : undefined;
    askForBody(incoming, outgoing);
    const received = await writeSegments(
      { db: context.db, store: storage.store },
      {
        mediaId: row.id,
        writerId,
        signal,
        from,
        stream: ReadableStream.from(readBody(incoming, times, hash)),
        maxBytes: Math.min(end ?? room, room),
      },
    ).catch((error: unknown) => {
      if (!(error instanceof WriteError) || error.code !== 'too_large') throw error;
      if (end !== null && end <= room)
        throw wrongSize(`has more than ${end} bytes`, { limit: end });
      checkSize(storage, room + 1);
      throw fullProject(storage);
    });
    if (end !== null && received < end) {
      throw wrongSize(`ends after byte ${received} of ${end}`, { actual: received, limit: end });
    }
    if (received === 0) throw emptyFile();
    const isPart = request.kind === 'part' && received < request.total;
    if (isPart) {
      const media = await findMedia(context.db, row.id);
      if (media) return media;
      throw uploadRefused(undefined);
    }
    const sha256 = hash?.digest('hex');
    return complete(storage, row.id, { writerId, ...(sha256 === undefined ? {} : { sha256 }) });
  }

  async function complete(
    storage: MediaStorage,
    mediaId: string,
    options: { writerId: string; sha256?: string },
  ): Promise<MediaRow> {
    const { db, notifier } = context;
    const media = await completeMedia({ db, notifier, ...storage }, mediaId, options);
    if (!media || media.status === 'deleted' || media.status === 'pending') {
      throw new AppError('conflict', 'The media were changed during the upload.');
    }
    return media;
  }

  /**
   * Bytes that the file may have. Throws if the project has no room for the bytes that the request announces.
   */
  async function roomFor(
    storage: MediaStorage,
    row: MediaRow,
    request: UploadRequest,
  ): Promise<number> {
    const room = await findProjectRoom(context.db, storage, row);
    if ((request.total ?? 1) > room) throw fullProject(storage);
    return Math.min(storage.maxBytes, room);
  }

  return {
    respond(incoming, outgoing) {
      const work = respond(incoming, outgoing).finally(() => running.delete(work));
      running.add(work);
      return work;
    },
    async close() {
      await Promise.all(running);
    },
  };
}
