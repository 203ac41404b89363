// One attempt of one delivery: signed, sent, judged, recorded.
import packageJson from '../package.json' with { type: 'json' };
import type { AttemptRecord } from '../schema/database/delivery-attempts.ts';
import type { DueDelivery } from '../schema/database/due-deliveries.ts';
import { openWebhookSecrets } from '../schema/database/webhook-secrets.ts';
import type { Vault } from '../schema/database/vault.ts';
import type { DeliveryRecorder } from './delivery-recorder.ts';
import type { SafeFetch } from './safe-fetch.ts';
import type { SendResult } from './send-outcome.ts';
import { signWebhook } from './signature.ts';

export interface AttemptDependencies {
  vault: Vault;
  safeFetch: SafeFetch;
  recorder: DeliveryRecorder;
  delaysMs: readonly number[];
  timeoutMs: number;
  /** Milliseconds since the epoch; Temporal's time where a test skips it. */
  now: () => number;
}

const userAgent = `Fanfare/${packageJson.version}`;
/** With the 10 s that a receiver may take, a round ends within 12 s whatever receivers do. */
const beginWithinMs = 1_500;

const redactedRequestHeaders = new Set(['x-service-signature', 'webhook-signature']);
const redactedResponseHeaders = new Set(['set-cookie', 'authorization', 'www-authenticate']);

/**
 * Returns when the next attempt is due, null when the delivery has concluded. Throws NotBegunError
 * when no connection to the receiver came free in time: then nothing was sent or recorded.
 */
export async function attemptDelivery(
  { safeFetch, vault, recorder, delaysMs, timeoutMs, now }: AttemptDependencies,
  delivery: DueDelivery,
): Promise<Date | null> {
  const startedAt = new Date(now());
  const headers = requestHeaders(vault, delivery, startedAt);
  const result = await safeFetch.send({
    url: delivery.webhook.url,
    headers,
    body: delivery.body,
    deadlineMs: timeoutMs,
    beginWithinMs,
  });
  const endedAt = new Date(now());
  const errorCode = errorCodeOf(result);
  const step = delivery.scheduled_attempts - delivery.ladder_start;
  // A test event gets one attempt.
  const delayMs = errorCode === null || delivery.trigger === 'test' ? undefined : delaysMs[step];
  const nextAttemptAt = delayMs === undefined ? null : new Date(endedAt.getTime() + delayMs);
  const failed: AttemptRecord['status'] = nextAttemptAt ? 'retrying' : 'failed';
  await recorder.record({
    delivery_id: delivery.id,
    scheduled_attempts: delivery.scheduled_attempts,
    started_at: startedAt,
    ended_at: endedAt,
    timings: result.timings,
    remote_address: result.remoteAddress,
    status_code: result.status,
    error_code: errorCode,
    request_headers: redact(headers, redactedRequestHeaders),
    response_headers: result.headers && redact(result.headers, redactedResponseHeaders),
    response_body: result.body,
    status: errorCode === null ? 'delivered' : failed,
    next_attempt_at: nextAttemptAt,
  });
  return nextAttemptAt;
}

/** A secret that can't be opened is a fault of the installation, such as a vault key that is missing. */
export class UnsignableError extends Error {
  override readonly name = 'UnsignableError';
}

function requestHeaders(vault: Vault, delivery: DueDelivery, now: Date): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    'X-Service-Event': delivery.event,
    'X-Service-Delivery': delivery.id,
    ...(delivery.trigger === 'test' ? { 'X-Service-Test': 'true' } : {}),
    ...sign(vault, delivery, now),
  };
}

function sign(vault: Vault, { id, event_id, body, webhook }: DueDelivery, now: Date) {
  try {
    return signWebhook({
      secrets: openWebhookSecrets(vault, webhook, now),
      body,
      webhookId: event_id,
      timestampSeconds: now.getTime() / 1_000,
    });
  } catch (error) {
    throw new UnsignableError(`Delivery ${id} can't be signed.`, { cause: error });
  }
}

/** Null: the receiver has taken the event. */
function errorCodeOf(result: SendResult): string | null {
  if (!result.ok) return result.errorCode;
  if (result.status >= 200 && result.status < 300) return null;
  return result.status >= 500 ? 'http_5xx' : 'http_4xx';
}

function redact(headers: Record<string, string>, names: Set<string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      names.has(name.toLowerCase()) ? '[redacted]' : value,
    ]),
  );
}
