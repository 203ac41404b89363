// One exchange with a receiver: signs and sends a delivery, and describes the outcome for the log.
import type { Exchange } from '../../schema/database/webhooks/delivery-attempts.ts';
import type { DueDelivery } from '../../schema/database/webhooks/due-deliveries.ts';
import type { Vault } from '../../schema/database/vault.ts';
import { openWebhookSecrets, type SecretColumns } from '../../schema/database/webhooks/secrets.ts';
import type { SafeFetch } from '../egress/client.ts';
import type { SendResult } from '../egress/send-outcome.ts';
import { deliveryAttemptSeconds } from '../metrics.ts';
import { webhookHeaders, type WebhookSignatureHeaders } from './signature.ts';

export interface ExchangeDependencies {
  vault: Vault;
  safeFetch: SafeFetch;
  timeoutMs: number;
  /** Milliseconds since the epoch. Tests that skip time use Temporal's clock. */
  now: () => number;
}

/** Everything that a request to a receiver needs. */
export type SendableDelivery = Pick<
  DueDelivery,
  'id' | 'project_id' | 'event_id' | 'event' | 'trigger' | 'body'
> & {
  webhook: SecretColumns & { url: string };
};

/**
 * The secret can't be opened, because the installation is misconfigured. For example, a vault key is missing.
 */
export class UnsignableError extends Error {
  override readonly name = 'UnsignableError';
}

/** Headers whose values are hidden in the log, of requests and of responses. */
const redactedHeaders = new Set([
  'authorization',
  'cookie',
  'proxy-authenticate',
  'proxy-authorization',
  'set-cookie',
  'webhook-signature',
  'www-authenticate',
  'x-api-key',
  'x-service-signature',
]);

/**
 * Resolves with any outcome at the receiver, failures included. Throws NotBegunError if no connection came
 * free within `beginWithinMs`, and UnsignableError if the request can't be signed. In both cases nothing was
 * sent.
 */
export async function exchange(
  { vault, safeFetch, timeoutMs, now }: ExchangeDependencies,
  delivery: SendableDelivery,
  beginWithinMs: number,
): Promise<Exchange> {
  const askedAtMs = now();
  const headers = requestHeaders(vault, delivery, new Date(askedAtMs));
  const result = await safeFetch.send({
    owner: delivery.project_id,
    url: delivery.webhook.url,
    headers,
    body: delivery.body,
    deadlineMs: timeoutMs,
    beginWithinMs,
  });
  const endedAtMs = now();
  const errorCode = errorCodeOf(result);
  const outcome = errorCode === null ? 'delivered' : 'failed';
  deliveryAttemptSeconds.observe({ outcome }, result.timings.total_ms / 1_000);
  const conceal = concealerOf(headers);
  // The start doesn't include the wait for a connection. It is never before the request, even if the clock
  // was set back.
  const startedAtMs = Math.max(askedAtMs, Math.round(endedAtMs - result.timings.total_ms));
  return {
    started_at: new Date(startedAtMs),
    ended_at: new Date(endedAtMs),
    timings: result.timings,
    remote_address: result.remoteAddress,
    status_code: result.status,
    error_code: errorCode,
    request_headers: redact(headers),
    response_headers: result.headers && redact(result.headers, conceal),
    response_body: result.body && conceal(result.body),
  };
}

function requestHeaders(
  vault: Vault,
  { id, event_id, event, trigger, body, webhook }: SendableDelivery,
  now: Date,
): Record<string, string> & WebhookSignatureHeaders {
  try {
    const secrets = openWebhookSecrets(vault, webhook, now);
    const isTest = trigger === 'test';
    return webhookHeaders({ event, eventId: event_id, deliveryId: id, isTest, body, secrets }, now);
  } catch (error) {
    throw new UnsignableError(`Delivery ${id} can't be signed.`, { cause: error });
  }
}

/** The error of the delivery. Null: the receiver has accepted the event. */
function errorCodeOf(result: SendResult): string | null {
  if (!result.ok) return result.errorCode;
  if (result.status >= 200 && result.status < 300) return null;
  return result.status >= 500 ? 'http_5xx' : 'http_4xx';
}

const redacted = '[redacted]';

function redact(
  headers: Record<string, string>,
  conceal: (text: string) => string = (text) => text,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      conceal(name),
      redactedHeaders.has(name.toLowerCase()) ? redacted : conceal(value),
    ]),
  );
}

/** A receiver may echo the signatures in a header's name or value or in its body, in any letter case. */
function concealerOf(sent: WebhookSignatureHeaders): (text: string) => string {
  const digests = [
    sent['X-Service-Signature'].replace(/^sha256=/, ''),
    ...sent['webhook-signature'].split(' ').map((signature) => signature.replace(/^v1,/, '')),
  ];
  const anyDigest = new RegExp(digests.join('|').replaceAll('+', '\\+'), 'gi');
  return (text) => text.replaceAll(anyDigest, redacted);
}
