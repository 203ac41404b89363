// The token in a connect session's link. Only its hash is stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';

export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

export function isToken(session: ConnectSessionRow, given: string): boolean {
  return timingSafeEqual(hashOf(given), session.token_hash);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
