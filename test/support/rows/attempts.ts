// Outcomes of attempts, for tests that record attempts without sending anything.
import type {
  AttemptRecord,
  Exchange,
} from '../../../schema/database/webhooks/delivery-attempts.ts';
import { anyTimings } from './rows.ts';

/** A 200, unless the values say otherwise. */
export function exchange(values: Partial<Exchange> = {}): Exchange {
  return {
    started_at: new Date(),
    ended_at: new Date(),
    timings: anyTimings,
    remote_address: '127.0.0.1',
    status_code: 200,
    error_code: null,
    request_headers: {},
    response_headers: {},
    response_body: '',
    ...values,
  };
}

/** The first attempt of the schedule. It succeeds, unless the values say otherwise. */
export function attempt(deliveryId: string, values: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    ...exchange(),
    delivery_id: deliveryId,
    scheduled_attempts: 0,
    ladder_start: 0,
    status: 'delivered',
    next_attempt_at: null,
    ...values,
  };
}

export const refused = { status_code: 500, error_code: 'http_5xx' } as const;

/** The schedule has given up, by default after one attempt. */
export function failedForGood(
  deliveryId: string,
  values: Partial<AttemptRecord> = {},
): AttemptRecord {
  return attempt(deliveryId, { ...refused, status: 'failed', ...values });
}
