// The Idempotency-Key of a request: what a repeat of it is recognised by.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { validationError } from '../../schema/wire/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Idempotency } from '../server/context.ts';
import { bodyOptions, validate } from './validation.ts';

export const maxKeyLength = 255;
const Key = z.string().min(1, 'must not be empty').max(maxKeyLength);

/** From the header or from the body; where both name one they must agree. */
export function readIdempotency(
  request: Request,
  body: Buffer,
  scopes: readonly Scope[],
  keyInBody: string | undefined,
): Idempotency | undefined {
  const keyInHeader = checkKey(request.headers.get('Idempotency-Key'), 'headers.Idempotency-Key');
  if (keyInHeader !== undefined && keyInBody !== undefined && keyInHeader !== keyInBody) {
    const message = 'must equal the Idempotency-Key header';
    throw validationError([{ path: 'idempotency_key', code: 'mismatch', message }]);
  }
  const key = keyInHeader ?? keyInBody;
  if (key === undefined) return undefined;
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${new URL(request.url).pathname}\n`)
    .update(body)
    .digest();
  return { key, fingerprint, scopes };
}

/** A key that stands beside the body. */
export function checkKey(key: string | null | undefined, path: string): string | undefined {
  if (key === null || key === undefined) return undefined;
  return validate(Key, key, { ...bodyOptions, root: path });
}
