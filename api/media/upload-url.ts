// Upload URLs: anyone who has one can send the bytes, without an API key.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MediaRow } from '../../schema/database/tables.ts';

/** The database stores only the hash. */
export function newUploadToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: sha256(token) };
}

export function isUploadToken({ upload_token_hash }: MediaRow, given: string): boolean {
  return upload_token_hash !== null && timingSafeEqual(sha256(given), upload_token_hash);
}

export function uploadUrlOf(publicUrl: string, mediaId: string, token: string): string {
  return `${publicUrl}/uploads/${mediaId}?token=${token}`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
