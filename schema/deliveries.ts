// Deliveries and their attempts, as the wire shows them.
import { z } from 'zod';
import { EventType } from './events.ts';
import { listQuery, ordered, period } from './wire/listing.ts';
import { Timestamp } from './wire/timestamp.ts';

export const deliveryStatuses = [
  'pending',
  'retrying',
  'delivered',
  'failed',
  'skipped',
  'canceled',
] as const;
export const deliveryTriggers = ['event', 'test', 'replay'] as const;
export const attemptTriggers = ['schedule', 'manual'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export type DeliveryTrigger = (typeof deliveryTriggers)[number];
export type AttemptTrigger = (typeof attemptTriggers)[number];

const deliveryErrorCodes = [
  'dns_failed',
  'connection_refused',
  'connect_timeout',
  'tls_failed',
  'response_timeout',
  'response_too_large',
  'blocked_address',
  'redirect',
  'http_4xx',
  'http_5xx',
  'connection_reset',
] as const;
export type DeliveryErrorCode = (typeof deliveryErrorCodes)[number];

export const Delivery = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    event_id: z.string(),
    post_id: z.string().nullable().meta({ description: 'The post that the event is about.' }),
    event: EventType,
    url: z.string(),
    status: z.enum(deliveryStatuses),
    trigger: z.enum(deliveryTriggers),
    attempt_count: z.int(),
    next_attempt_at: Timestamp.nullable(),
    last_status_code: z.int().nullable(),
    last_error_code: z.string().nullable(),
    created_at: Timestamp,
    delivered_at: Timestamp.nullable().meta({
      description: 'When the receiver took it last; stays while a replay sends it again.',
    }),
    workflow_id: z.string().nullable(),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;

export const Timings = z.object({
  dns_ms: z.number().nullable(),
  connect_ms: z.number().nullable(),
  tls_ms: z.number().nullable(),
  first_byte_ms: z.number().nullable(),
  total_ms: z.number(),
});
export type Timings = z.infer<typeof Timings>;

export const DeliveryAttempt = z
  .object({
    number: z.int(),
    trigger: z.enum(attemptTriggers),
    started_at: Timestamp,
    timings: Timings,
    remote_address: z.string().nullable(),
    status_code: z.int().nullable(),
    error_code: z.string().nullable(),
    request_headers: z.record(z.string(), z.string()),
    response_headers: z.record(z.string(), z.string()).nullable(),
    response_body: z.string().nullable(),
    next_attempt_at: Timestamp.nullable(),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const DeliveryWithAttempts = Delivery.extend({
  attempts: z.array(DeliveryAttempt),
}).meta({ id: 'DeliveryWithAttempts' });
export type DeliveryWithAttempts = z.infer<typeof DeliveryWithAttempts>;

export const RetriedDelivery = Delivery.extend({
  notice: z.string().nullable().meta({
    description: 'What to know about this attempt, such as that the receiver gets the event again.',
  }),
}).meta({ id: 'RetriedDelivery' });
export type RetriedDelivery = z.infer<typeof RetriedDelivery>;

export const ListDeliveries = ordered(
  listQuery({
    status: z.enum(deliveryStatuses).optional(),
    event: EventType.optional(),
    ...period,
  }),
  'since',
  'until',
);
export type ListDeliveries = z.infer<typeof ListDeliveries>;
