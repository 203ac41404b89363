// The only delivery of an event to a receiver that answers in raw bytes, and the outcome of its attempt.
import type { Socket } from 'node:net';
import { expect, vi } from 'vitest';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { inTransaction } from '../../../schema/database/transaction.ts';
import type { DeliveryAttempt, DeliveryWithAttempts } from '../../../schema/deliveries.ts';
import type { TestApp } from '../app/app.ts';
import { startRawReceiver } from './raw-receiver.ts';

/** Delays the first retry until after the test. */
export const noRetries = { FANFARE_DELIVERY_DELAYS_MS: '600000' };

/** Records one event for the receiver; returns the delivery once its only attempt is recorded. */
export async function deliver(to: TestApp, answer: (socket: Socket) => void) {
  await using receiver = await startRawReceiver(answer);
  const tenant = await to.createTenant();
  const webhook = await tenant.createWebhook(receiver.url, ['post.published']);
  const { db, notifier } = to.context;
  await inTransaction(db, notifier, (trx) =>
    recordEvent(
      trx,
      {
        projectId: tenant.projectId,
        environment: 'production',
        type: 'post.published',
        data: { id: 'post_1' },
      },
      { previewEvents: false },
    ),
  );
  const find = async () => {
    const { body } = await tenant.api.get(`/v1/webhooks/${webhook.id}/deliveries`);
    return body.data[0] as DeliveryWithAttempts;
  };
  // `expect.poll` does not work in concurrent tests.
  await vi.waitFor(async () => expect((await find()).attempt_count).toBe(1), { timeout: 20_000 });
  const { body } = await tenant.api.get(`/v1/deliveries/${(await find()).id}`);
  const delivery = body.data as DeliveryWithAttempts;
  expect(receiver.requestCount).toBe(1);
  expect(delivery.attempts).toHaveLength(1);
  return { delivery, attempt: delivery.attempts[0]! };
}

export type Outcome = Pick<DeliveryAttempt, 'status_code' | 'error_code' | 'response_body'>;

const taken = { status: 'delivered', next_attempt_at: null };
const notTaken = { status: 'retrying', next_attempt_at: expect.any(String) };

export function expectOutcome(
  { delivery, attempt }: Awaited<ReturnType<typeof deliver>>,
  outcome: Outcome,
): void {
  const { status_code, error_code } = outcome;
  const state = error_code === null ? taken : notTaken;
  expect(delivery).toMatchObject({
    ...state,
    last_status_code: status_code,
    last_error_code: error_code,
  });
  expect(attempt).toMatchObject({ ...outcome, number: 1, next_attempt_at: state.next_attempt_at });
}

export const delivered = (body: string): Outcome => ({
  status_code: 200,
  error_code: null,
  response_body: body,
});
export const unanswered = (code: string): Outcome => ({
  status_code: null,
  error_code: code,
  response_body: null,
});
export const ok = 'HTTP/1.1 200 OK\r\n';
export const after = (ms: number, bytes: string) => (socket: Socket) =>
  void setTimeout(() => socket.destroyed || socket.write(bytes), ms);
export const whole = `${ok}Content-Length: 2\r\n\r\nok`;
