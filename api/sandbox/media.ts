// Takes images and videos for the sandbox's posts: a file is created first, then its bytes are sent in parts.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { free } from '../../activities/media/free.ts';
import {
  deleteSandboxMedia,
  findSandboxMedia,
  insertSandboxMedia,
  insertSandboxMediaPart,
  listSandboxMedia,
  readSandboxMedia,
  setSandboxMediaComplete,
} from '../../schema/database/sandbox.ts';
import type { Db, SandboxGrantRow, SandboxMediaRow } from '../../schema/database/tables.ts';
import {
  maxSandboxAltText,
  maxSandboxMediaBytes,
  maxSandboxPartBytes,
  sandboxMediaTypes,
} from '../../schema/platforms/sandbox.ts';
import { Refusal } from './refusal.ts';
import { isSandboxId, newSandboxId, Storable } from './values.ts';

export const NewMedia = z.strictObject({
  content_type: z.enum(sandboxMediaTypes),
  bytes: z.int().min(1).max(maxSandboxMediaBytes),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  alt_text: Storable.refine((text) => Array.from(text).length <= maxSandboxAltText, {
    message: `must have at most ${maxSandboxAltText} characters`,
  }).optional(),
});

const rowBytes = 262_144;
/**
 * Small, because the driver makes several copies of the bytes, and garbage collection frees the copies late.
 */
const readBytes = 16_384;

export async function createMedia(
  db: Db,
  { handle }: SandboxGrantRow,
  media: z.infer<typeof NewMedia>,
) {
  const { content_type, bytes, sha256 = null, alt_text = null } = media;
  const row = { id: newSandboxId(), handle, content_type, bytes, sha256, alt_text };
  return presentMedia(await insertSandboxMedia(db, row));
}

/** Takes a part. A Content-Range with `*` instead of a range only asks for the received bytes. */
export async function storePart(db: Db, grant: SandboxGrantRow, id: string, request: Request) {
  const media = isSandboxId(id) ? await findSandboxMedia(db, id) : undefined;
  if (!media || media.handle !== grant.handle) throw unknownMedia();
  const range = readRange(request, media);
  if (range && range.start !== media.received_bytes) {
    await discard(request);
    throw wrongOffset();
  }
  if (range) await receive(db, id, range, request);
  return presentMedia(await complete(db, id));
}

/** Throws unless all media are complete and belong to the handle. */
export async function checkMedia(db: Db, { handle }: SandboxGrantRow, ids: string[]) {
  const rows = await listSandboxMedia(db, ids);
  const own = rows.filter((row) => row.handle === handle);
  if (own.length < ids.length) throw unknownMedia(422);
  if (own.every(({ is_complete }) => is_complete)) return;
  throw new Refusal(422, 'incomplete_media', 'The sandbox has not received all bytes.');
}

/** Reads on demand, from `start` to `end`. */
export function openMedia(
  db: Db,
  id: string,
  { start, end }: { start: number; end: number },
): ReadableStream<Uint8Array> {
  let next = start;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await readSandboxMedia(db, id, next, Math.min(readBytes, end + 1 - next));
        if (!bytes) throw new Error('The media was deleted.');
        next += bytes.length;
        controller.enqueue(bytes);
        if (next > end) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

interface Part {
  start: number;
  length: number;
}

/** Undefined: the request only asks for the received bytes. */
function readRange({ headers }: Request, media: SandboxMediaRow): Part | undefined {
  const pattern = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/;
  const [, first, last, total] = pattern.exec(headers.get('content-range') ?? '') ?? [];
  if (Number(total) !== media.bytes) {
    throw invalidRange(`Content-Range: must be bytes <first>-<last>/${media.bytes}`);
  }
  if (first === undefined) return undefined;
  const [start, end] = [Number(first), Number(last)];
  const length = end - start + 1;
  if (length < 1 || length > maxSandboxPartBytes || end >= media.bytes) {
    throw invalidRange(`Content-Range: must have 1 to ${maxSandboxPartBytes} bytes of the file`);
  }
  if (headers.get('content-length') !== String(length)) {
    throw invalidRange(`Content-Length: must be ${length}, as in Content-Range`);
  }
  return { start, length };
}

/** Stores each row as soon as it is full. A lost connection loses only the row that was being received. */
async function receive(db: Db, id: string, { start, length }: Part, request: Request) {
  let next = start;
  for await (const row of inRows(readBody(request), length)) {
    if (!(await insertSandboxMediaPart(db, id, next, row))) throw wrongOffset();
    next += row.length;
  }
}

/** A connection with an unread body may break before its client has read the answer. */
async function discard(request: Request): Promise<void> {
  for await (const _ of readBody(request));
}

/** Each chunk is valid until the next one is read. */
async function* readBody({ body }: Request): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body ?? []) {
      yield chunk;
      free(chunk);
    }
  } catch {
    throw new Refusal(400, 'incomplete_part', 'The part broke off.');
  }
}

/** Each row is valid until the next one is read. */
async function* inRows(body: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Buffer> {
  const row = Buffer.alloc(Math.min(rowBytes, length));
  let used = 0;
  for await (const chunk of body) {
    for (let rest = chunk; rest.length > 0;) {
      const taken = rest.subarray(0, row.length - used);
      row.set(taken, used);
      used += taken.length;
      rest = rest.subarray(taken.length);
      if (used < row.length) continue;
      yield row;
      used = 0;
    }
  }
  if (used > 0) yield row.subarray(0, used);
}

/** Once every byte is here, checks the hash that was declared. */
async function complete(db: Db, id: string): Promise<SandboxMediaRow> {
  const media = await findSandboxMedia(db, id);
  if (!media) throw unknownMedia();
  const { bytes, received_bytes, is_complete, sha256 } = media;
  if (is_complete || received_bytes < bytes) return media;
  if (sha256 !== null && (await hashOf(db, media)) !== sha256) {
    await deleteSandboxMedia(db, id);
    throw new Refusal(422, 'wrong_sha256', 'The bytes do not have the declared SHA-256.');
  }
  await setSandboxMediaComplete(db, id);
  return { ...media, is_complete: true };
}

async function hashOf(db: Db, { id, bytes }: SandboxMediaRow): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of openMedia(db, id, { start: 0, end: bytes - 1 })) hash.update(part);
  return hash.digest('hex');
}

function presentMedia({ id, bytes, received_bytes, is_complete }: SandboxMediaRow) {
  return { id, bytes, received_bytes, is_complete };
}

function unknownMedia(status = 404): Refusal {
  return new Refusal(status, 'unknown_media', 'This handle has no such media in the sandbox.');
}

function invalidRange(message: string): Refusal {
  return new Refusal(400, 'invalid_range', message);
}

function wrongOffset(): Refusal {
  return new Refusal(409, 'wrong_offset', 'The part does not start after the received bytes.');
}
