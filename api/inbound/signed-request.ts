// The `signed_request` of Meta's calls: who removed an app, or wants their data deleted, signed with the app's secret.
// https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../activities/platforms/json-client.ts';
import { GraphId } from '../../activities/platforms/meta/ids.ts';

/** A call that is delivered late is still good, since a repeat changes nothing. */
const maxAgeMs = 24 * 3_600_000;
/** Clocks may differ by this much. */
const maxAheadMs = 600_000;

const Payload = z.object({
  algorithm: z.literal('HMAC-SHA256'),
  /** Seconds. */
  issued_at: z.int().min(0),
  user_id: GraphId,
});

interface SignedRequest {
  userId: string;
  issuedAtMs: number;
  /** The encoded text, which was signed. */
  payload: string;
}

/** Code of the issue that a refused request gets. */
export type SignatureIssue = 'required' | 'invalid_signature' | 'expired';

/** Reads a form or JSON, since it is undocumented whether Threads sends JSON. Undefined: there is none. */
export function findSignedRequest(body: string): string | undefined {
  if (!body.startsWith('{')) return new URLSearchParams(body).get('signed_request') ?? undefined;
  return z.object({ signed_request: z.string() }).safeParse(parseJson(body)).data?.signed_request;
}

/** `secret`: the client secret of the app. Empty: the app has no secret, so no signature is valid. */
export function readSignedRequest(
  given: string | undefined,
  secret: string,
  nowMs = Date.now(),
): SignedRequest | SignatureIssue {
  if (given === undefined) return 'required';
  const [signature = '', payload = '', ...others] = given.split('.');
  const isWhole = secret !== '' && others.length === 0;
  if (!isWhole || !isSigned(payload, Buffer.from(signature, 'base64url'), secret)) {
    return 'invalid_signature';
  }
  const text = Buffer.from(payload, 'base64url').toString('utf8');
  const { data } = Payload.safeParse(parseJson(text));
  if (!data) return 'invalid_signature';
  const issuedAtMs = data.issued_at * 1_000;
  const ageMs = nowMs - issuedAtMs;
  if (ageMs > maxAgeMs || ageMs < -maxAheadMs) return 'expired';
  return { userId: data.user_id, issuedAtMs, payload };
}

/** The text must be as it was sent, not decoded and written again. */
export function isSigned(text: string, actual: Buffer, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(text).digest();
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
