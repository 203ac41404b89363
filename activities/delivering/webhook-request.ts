// The headers of a webhook request, shared by workers and the command `listen`.
import { version } from '../../schema/version.ts';
import { signWebhook, type WebhookSignatureHeaders } from './signature.ts';

export interface WebhookRequest {
  event: string;
  eventId: string;
  deliveryId: string;
  isTest: boolean;
  body: string | Buffer;
  /** Newest first. */
  secrets: readonly string[];
}

const userAgent = `Fanfare/${version}`;

export function webhookHeaders(
  { event, eventId, deliveryId, isTest, body, secrets }: WebhookRequest,
  now: Date,
): Record<string, string> & WebhookSignatureHeaders {
  return {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    'X-Service-Event': event,
    'X-Service-Delivery': deliveryId,
    ...(isTest ? { 'X-Service-Test': 'true' } : {}),
    ...signWebhook({
      secrets,
      body,
      webhookId: eventId,
      timestampSeconds: now.getTime() / 1_000,
    }),
  };
}
