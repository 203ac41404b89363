// The uploads of the simulated TikTok:
// https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide, read on 2026-11-27.
import type { Hash } from 'node:crypto';
import { z } from 'zod';
import { invalid } from './refusals.ts';

const mb = 1_000_000;

export const Source = z.strictObject({
  source: z.literal('FILE_UPLOAD'),
  video_size: z
    .int()
    .min(1)
    .max(4_000 * mb),
  chunk_size: z.int().min(1),
  total_chunk_count: z.int().min(1).max(1_000),
});
type Source = z.infer<typeof Source>;

export interface Upload {
  source: Source;
  token: string;
  held: number;
  sha256: Hash;
  expiresAtMs: number;
}

export function checkSource({ video_size, chunk_size, total_chunk_count }: Source): void {
  const isWhole = video_size < 5 * mb;
  if (isWhole && chunk_size !== video_size) throw invalid('The video must be uploaded as a whole.');
  if (!isWhole && (chunk_size < 5 * mb || chunk_size > 64 * mb)) {
    throw invalid('A chunk must have 5 to 64 MB.');
  }
  if (total_chunk_count !== Math.floor(video_size / chunk_size)) {
    throw invalid('The total chunk count is invalid.');
  }
}

/** Takes a chunk. The answers have no documented body. */
export async function takeChunk(upload: Upload | undefined, request: Request): Promise<Response> {
  if (!upload) return answer(404);
  if (upload.expiresAtMs <= Date.now()) return answer(403);
  const { video_size, chunk_size, total_chunk_count } = upload.source;
  const range = request.headers.get('content-range') ?? '';
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? [];
  const bytes = Buffer.from(await request.arrayBuffer());
  const [start, end] = [Number(first), Number(last)];
  const isVideo = /^video\/(mp4|quicktime|webm)$/.test(request.headers.get('content-type') ?? '');
  const isTrue =
    request.headers.get('content-length') === String(bytes.length) &&
    end - start + 1 === bytes.length &&
    Number(total) === video_size;
  if (first === undefined || !isVideo || !isTrue) return answer(400);
  if (start !== upload.held) return answer(416);
  const index = start / chunk_size;
  const expected = index === total_chunk_count - 1 ? video_size - 1 : start + chunk_size - 1;
  if (!Number.isInteger(index) || end !== expected) return answer(400);
  upload.held += bytes.length;
  upload.sha256.update(bytes);
  const headers = { 'content-range': `bytes 0-${upload.held - 1}/${video_size}` };
  return answer(upload.held === video_size ? 201 : 206, headers);
}

const answer = (status: number, headers = {}) => Response.json({}, { status, headers });
