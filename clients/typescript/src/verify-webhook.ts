// Checks the signature of a webhook request, as https://www.standardwebhooks.com describes it.
import { configurationError, FanfareError } from './errors.ts';
import type { Schemas } from './operations.ts';

/** The message of a webhook request. Later versions may add values of `event`. */
export type WebhookMessage = Schemas['WebhookMessage'];

export type WebhookErrorCode =
  | 'missing_header'
  | 'invalid_secret'
  | 'message_too_old'
  | 'message_too_new'
  | 'invalid_signature'
  | 'malformed_message';

export class WebhookVerificationError extends FanfareError {
  override readonly name = 'WebhookVerificationError';
  declare readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super({ code, message });
  }
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

export interface VerifyOptions {
  /** How far the clocks of the sender and the receiver may differ. Default: 300. */
  toleranceS?: number;
}

/**
 * Answer the request with 401 if it throws. `rawBody`: the bytes or the text of the body, as they arrived. `secrets`:
 * several while the secret is being rotated.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: readonly string[] | string,
  { toleranceS = 300 }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  checkAge(timestamp, toleranceS);
  const body = typeof rawBody === 'string' ? encode(rawBody) : rawBody;
  const head = encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const given = signatures
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? [decodeBase64(part.slice(3))] : []));
  const keys = await Promise.all([secrets].flat().map(importSecret));
  if (keys.length === 0) throw new WebhookVerificationError('invalid_secret', 'Name a secret.');
  for (const key of keys) {
    for (const signature of given) {
      // Compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) {
        return parseMessage(body);
      }
    }
  }
  throw new WebhookVerificationError(
    'invalid_signature',
    'No signature is by one of the secrets. Use the raw body, and the secret of this webhook.',
  );
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueIn(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
}

function valueIn(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

function checkAge(timestamp: string, toleranceS: number): void {
  if (typeof toleranceS !== 'number' || !(toleranceS >= 0)) {
    throw configurationError('`toleranceS` must be a number of seconds, 0 or more.');
  }
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const ageS = Date.now() / 1_000 - seconds;
  if (Number.isNaN(ageS) || ageS > toleranceS) {
    const message = 'The request was signed too long ago. Check the clock of this machine.';
    throw new WebhookVerificationError('message_too_old', message);
  }
  if (ageS < -toleranceS) {
    const message = 'The request was signed in the future. Check the clock of this machine.';
    throw new WebhookVerificationError('message_too_new', message);
  }
}

async function importSecret(secret: string) {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) {
    const message = 'A secret must be `whsec_` followed by base64.';
    throw new WebhookVerificationError('invalid_secret', message);
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
}

function parseMessage(body: Uint8Array): WebhookMessage {
  try {
    const message = JSON.parse(new TextDecoder().decode(body)) as WebhookMessage | null;
    if (typeof message?.event === 'string') return message;
  } catch {
    // Reported below.
  }
  throw new WebhookVerificationError('malformed_message', 'The body is no message of Fanfare.');
}

const encode = (text: string) => new TextEncoder().encode(text);

/** Undefined: it isn't base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
