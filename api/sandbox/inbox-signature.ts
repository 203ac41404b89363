// Whether the signatures of a received webhook hold, as a receiver would check them.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ReceivedRequest } from './inbox-store.ts';

/** `X-Service-Signature` must hold, and so must `webhook-signature` where there is one. */
export function doSignaturesHold({ headers, body }: ReceivedRequest, secret: string): boolean {
  const own = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (!isSame(headers['x-service-signature'] ?? '', own)) return false;
  const standard = headers['webhook-signature'];
  if (standard === undefined) return true;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return standard.split(' ').some((signature) => isSame(signature, expected));
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
