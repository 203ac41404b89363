// The headers of a webhook request, with the signature of Fanfare's contract and the signatures of Standard
// Webhooks.
import { createHmac, randomBytes } from 'node:crypto';
import { version } from '../../schema/version.ts';

const prefix = 'whsec_';

export interface WebhookToSign {
  /** The newest secret is first. There are several only while a rotation overlaps. */
  secrets: readonly string[];
  body: string | Buffer;
  webhookId: string;
  timestampSeconds: number;
}

export interface WebhookRequest extends Pick<WebhookToSign, 'secrets' | 'body'> {
  event: string;
  eventId: string;
  deliveryId: string;
  isTest: boolean;
}

export interface WebhookSignatureHeaders {
  'X-Service-Signature': string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

export function generateWebhookSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** A part of the secret: enough to distinguish two secrets on a page, but too short to sign with. */
export function secretPreview(secret: string): string {
  return `${secret.slice(0, prefix.length + 4)}…`;
}

export function signWebhook(webhook: WebhookToSign): WebhookSignatureHeaders {
  const [newest] = webhook.secrets;
  if (newest === undefined) throw new TypeError('A webhook is signed with at least one secret.');
  const { body, webhookId } = webhook;
  const timestamp = String(Math.floor(webhook.timestampSeconds));
  return {
    'X-Service-Signature': `sha256=${createHmac('sha256', newest).update(body).digest('hex')}`,
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-signature': webhook.secrets
      .map((secret) => {
        // A string key with its encoding: a Buffer as key costs Node six times as much.
        const mac = createHmac('sha256', standardKey(secret), { encoding: 'base64' });
        return `v1,${mac.update(`${webhookId}.${timestamp}.`).update(body).digest('base64')}`;
      })
      .join(' '),
  };
}

/** For workers and the command `listen`. */
export function webhookHeaders(
  { event, eventId: webhookId, deliveryId, isTest, body, secrets }: WebhookRequest,
  now: Date,
): Record<string, string> & WebhookSignatureHeaders {
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Fanfare/${version}`,
    'X-Service-Event': event,
    'X-Service-Delivery': deliveryId,
    ...(isTest ? { 'X-Service-Test': 'true' } : {}),
    ...signWebhook({ secrets, body, webhookId, timestampSeconds: now.getTime() / 1_000 }),
  };
}

/**
 * Standard Webhooks signs with the decoded bytes after the prefix. Fanfare's contract signs with the secret's
 * whole text.
 */
function standardKey(secret: string): string {
  return secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
}
