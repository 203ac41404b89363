// The Idempotency-Key of a request: what a repeat of it is recognised by.
import { createHash } from 'node:crypto';
import { validationError } from '../schema/errors.ts';
import type { Caller } from './context.ts';

const maxKeyLength = 255;
const path = 'headers.Idempotency-Key';

/** From the header or from the body; where both name one they must agree. */
export function readIdempotency(
  request: Request,
  body: Buffer,
  keyInBody: string | undefined,
): Caller['idempotency'] {
  const keyInHeader = checkHeader(request.headers.get('Idempotency-Key'));
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
  return { key, fingerprint };
}

function checkHeader(key: string | null): string | undefined {
  if (key === null) return undefined;
  if (key === '')
    throw validationError([{ path, code: 'too_small', message: 'must not be empty' }]);
  if (key.length > maxKeyLength) {
    const message = `must have at most ${maxKeyLength} characters`;
    const issue = { path, code: 'too_big', message, actual: key.length, limit: maxKeyLength };
    throw validationError([issue]);
  }
  return key;
}
