// Turns the rows of deliveries and attempts into their wire types.
import type { DeliveryAttemptRow } from '../../schema/database/tables.ts';
import type { DeliveryWithContext } from '../../schema/database/webhooks/deliveries.ts';
import type { Delivery, DeliveryAttempt } from '../../schema/deliveries.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import { deliverEventsWorkflowId } from '../../schema/workflows.ts';

export function presentDelivery(row: DeliveryWithContext): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    post_id: row.post_id,
    event: row.event,
    url: row.url,
    status: row.status,
    trigger: row.trigger,
    attempt_count: row.attempt_count,
    next_attempt_at: toTimestamp(row.next_attempt_at),
    last_status_code: row.last_status_code,
    last_error_code: row.last_error_code,
    created_at: toTimestamp(row.created_at),
    delivered_at: toTimestamp(row.delivered_at),
    workflow_id: row.batch_id === null ? null : deliverEventsWorkflowId(row.batch_id),
  };
}

export function presentAttempt(row: DeliveryAttemptRow): DeliveryAttempt {
  return {
    number: row.number,
    trigger: row.trigger,
    started_at: toTimestamp(row.started_at),
    timings: row.timings,
    remote_address: row.remote_address,
    status_code: row.status_code,
    error_code: row.error_code,
    request_headers: row.request_headers,
    response_headers: row.response_headers,
    response_body: row.response_body,
    next_attempt_at: toTimestamp(row.next_attempt_at),
  };
}
