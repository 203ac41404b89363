// The token in a connect session's link.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ConnectSessionRow } from '../../schema/database/database.ts';
import type { Vault } from '../../schema/database/vault.ts';

export function newToken(vault: Vault, sessionId: string) {
  const token = randomBytes(32).toString('base64url');
  const sealed = vault.seal(token, sealContext(sessionId));
  return { token_hash: hash(token), token: sealed.ciphertext, token_key_id: sealed.keyId };
}

/** Null once the session has ended. */
export function openToken(vault: Vault, session: ConnectSessionRow): string | null {
  const { id, token, token_key_id: keyId } = session;
  if (token === null || keyId === null) return null;
  return vault.open({ ciphertext: token, keyId }, sealContext(id));
}

export function isToken(session: ConnectSessionRow, given: string): boolean {
  return timingSafeEqual(hash(given), session.token_hash);
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const sealContext = (sessionId: string) => `connect_sessions/${sessionId}`;
