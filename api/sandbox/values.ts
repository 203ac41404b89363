// Texts that the sandbox can store, and its IDs.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

/** Postgres can't store lone surrogates or NUL. */
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

export const Storable = z.string().refine(isStorable, 'has characters that cannot be stored');

export const isSandboxId = (text: string) => /^[0-9a-z]{1,64}$/.test(text);

/** IDs grow with time, so lists can page by them. */
export function newSandboxId(): string {
  return Date.now().toString(36).padStart(9, '0') + randomBytes(6).toString('hex');
}
