// Outcomes of scheduled attempts, for what is recorded without sending anything.
import type { AttemptRecord } from '../../schema/database/delivery-attempts.ts';
import { anyTimings } from './rows.ts';

/** The first attempt, delivered, unless the values say otherwise. */
export function attempt(deliveryId: string, values: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    delivery_id: deliveryId,
    scheduled_attempts: 0,
    started_at: new Date(),
    ended_at: new Date(),
    timings: anyTimings,
    remote_address: '127.0.0.1',
    status_code: 200,
    error_code: null,
    request_headers: {},
    response_headers: {},
    response_body: '',
    status: 'delivered',
    next_attempt_at: null,
    ...values,
  };
}

/** The schedule has given up, by default after one attempt. */
export function failedForGood(
  deliveryId: string,
  values: Partial<AttemptRecord> = {},
): AttemptRecord {
  const refused = { status: 'failed', status_code: 500, error_code: 'http_5xx' } as const;
  return attempt(deliveryId, { ...refused, ...values });
}
