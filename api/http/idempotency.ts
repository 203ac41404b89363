// The Idempotency-Key of a request, by which a repeat is recognized.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { validationError } from '../../schema/wire/errors.ts';
import type { Path } from '../../schema/wire/names.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Idempotency } from './context.ts';
import { validate } from './validation.ts';

export const maxKeyLength = 255;
export const keyHeaderPath: Path = ['headers', 'Idempotency-Key'];
const automaticPrefix = 'auto_';
const Key = z.string().min(1, 'must not be empty').max(maxKeyLength);

/** Reads the key from the header or the body. If both have a key, the two keys must be equal. */
export function readIdempotency(
  request: Request,
  body: Buffer,
  scopes: readonly Scope[],
  keyInBody: string | undefined,
): Idempotency | undefined {
  const keyInHeader = checkKey(request.headers.get('Idempotency-Key'), keyHeaderPath);
  if (keyInHeader !== undefined && keyInBody !== undefined && keyInHeader !== keyInBody) {
    const message = 'must equal the Idempotency-Key header';
    throw validationError([{ path: ['idempotency_key'], code: 'mismatch', message }]);
  }
  const key = keyInHeader ?? keyInBody;
  if (key === undefined) return undefined;
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${new URL(request.url).pathname}\n`)
    .update(body)
    .digest();
  return toIdempotency(key, fingerprint, scopes);
}

export function toIdempotency(
  key: string,
  fingerprint: Buffer,
  scopes: readonly Scope[],
): Idempotency {
  return { key, isAutomatic: isAutomatic(key), fingerprint, scopes };
}

export const isAutomatic = (key: string) => key.startsWith(automaticPrefix);

/** Checks a key that isn't part of the body. */
export function checkKey(key: string | null | undefined, at: Path): string | undefined {
  if (key === null || key === undefined) return undefined;
  return validate(Key, key, { at });
}
