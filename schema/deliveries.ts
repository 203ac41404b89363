// Deliveries and their attempts, as the wire shows them.
import { z } from 'zod';
import { EventType } from './event-types.ts';
import { CountedDay } from './wire/counts.ts';
import { describedEnum } from './wire/described-enum.ts';
import { periodQuery } from './wire/listing.ts';
import { Id, WebhookId } from './wire/shared-fields.ts';
import { Timestamp } from './wire/timestamp.ts';

export const DeliveryStatus = describedEnum('DeliveryStatus', 'Delivery status.', {
  pending: 'The first attempt has not been made.',
  retrying: 'An attempt failed and another one is scheduled.',
  delivered: 'The receiver accepted the event.',
  failed: 'Every attempt failed.',
  skipped: 'The webhook was disabled.',
  canceled: 'The webhook was deleted.',
});
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const DeliveryTrigger = describedEnum('DeliveryTrigger', 'Why the delivery was created.', {
  event: 'The event was recorded.',
  test: 'You sent a test event.',
  replay: 'A replay found an event that the webhook never received.',
});
export type DeliveryTrigger = z.infer<typeof DeliveryTrigger>;

export const AttemptTrigger = describedEnum('AttemptTrigger', 'Why the attempt was made.', {
  schedule: 'The retry schedule required it.',
  manual: 'You retried the delivery.',
});
export type AttemptTrigger = z.infer<typeof AttemptTrigger>;

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
const codes = deliveryErrorCodes.map((code) => `\`${code}\``).join(', ');

export const Delivery = z
  .object({
    id: Id,
    webhook_id: WebhookId,
    event_id: z.string().meta({ description: 'ID of the event.' }),
    post_id: z.string().nullable().meta({
      description: 'ID of the post that the event is about. Null if it is not about a post.',
    }),
    event: EventType,
    url: z.string().meta({ description: 'URL that the event is sent to.' }),
    status: DeliveryStatus,
    trigger: DeliveryTrigger,
    attempt_count: z.int().meta({ description: 'Number of attempts made.' }),
    next_attempt_at: Timestamp.nullable().meta({
      description: 'Time of the next attempt. Null if none is scheduled.',
    }),
    last_status_code: z.int().nullable().meta({
      description: 'HTTP status of the last response. Null if there was no response.',
    }),
    last_error_code: z.string().nullable().meta({
      description: 'Error code of the last attempt. Null if it succeeded or none was made.',
    }),
    created_at: Timestamp.meta({ description: 'Time when the first attempt was due.' }),
    delivered_at: Timestamp.nullable().meta({
      description:
        'Time when the receiver last accepted the event. A replay keeps it until the next success. Null if the event was never accepted.',
    }),
    workflow_id: z.string().nullable().meta({
      description:
        'ID of the Temporal workflow for later attempts. Temporal has it only if a delivery of the same batch needed it. Null until the delivery belongs to a batch.',
    }),
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one webhook.' });
export type Delivery = z.infer<typeof Delivery>;

const duration = (description: string) => z.number().meta({ description });

export const Timings = z
  .object({
    dns_ms: duration('DNS lookup, in milliseconds. Null if there was no lookup.').nullable(),
    connect_ms: duration(
      'TCP connect, in milliseconds. Null if there was no new connection.',
    ).nullable(),
    tls_ms: duration('TLS handshake, in milliseconds. Null if there was no handshake.').nullable(),
    first_byte_ms: duration(
      'Time from the request to the first byte of the response, in milliseconds. Null if there was no response.',
    ).nullable(),
    total_ms: duration('Whole attempt, in milliseconds.'),
  })
  .meta({ id: 'Timings', description: 'Duration of an attempt and of its parts.' });
export type Timings = z.infer<typeof Timings>;

export const DeliveryAttempt = z
  .object({
    number: z.int().meta({ description: 'Number of the attempt. A replay continues the count.' }),
    trigger: AttemptTrigger,
    started_at: Timestamp.meta({ description: 'Time when the attempt started.' }),
    timings: Timings,
    remote_address: z.string().nullable().meta({
      description: 'IP address that the request was sent to. Null if there was no connection.',
    }),
    status_code: z.int().nullable().meta({
      description: 'HTTP status of the response. Null if there was no response.',
    }),
    error_code: z
      .string()
      .nullable()
      .meta({
        description: `Why the attempt failed: ${codes}. Null if it succeeded.`,
      }),
    request_headers: z.record(z.string(), z.string()).meta({
      description: 'Headers of the request. Signatures are redacted.',
    }),
    response_headers: z.record(z.string(), z.string()).nullable().meta({
      description:
        'Headers of the response. Cookies and secrets are redacted. Null if there was no response.',
    }),
    response_body: z.string().nullable().meta({
      description: 'First 4 KiB of the response body, as text. Null if there was no response.',
    }),
    next_attempt_at: Timestamp.nullable().meta({
      description: 'Time of the attempt that this one scheduled. Null if it scheduled none.',
    }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One request to the receiver.' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const DeliveryWithAttempts = Delivery.extend({
  attempts: z.array(DeliveryAttempt).meta({ description: 'Attempts, oldest first.' }),
}).meta({ id: 'DeliveryWithAttempts', description: 'A delivery with its attempts.' });
export type DeliveryWithAttempts = z.infer<typeof DeliveryWithAttempts>;

export const RetriedDelivery = Delivery.extend({
  notice: z.string().nullable().meta({
    description:
      'Notice about this attempt, such as that the receiver gets the event twice. Null if there is none.',
  }),
}).meta({ id: 'RetriedDelivery', description: 'A delivery for which an attempt was started.' });
export type RetriedDelivery = z.infer<typeof RetriedDelivery>;

export const ListDeliveries = periodQuery({
  status: DeliveryStatus.optional().meta({ description: 'Only deliveries with this status.' }),
  event: EventType.optional().meta({ description: 'Only deliveries of this event type.' }),
});
export type ListDeliveries = z.infer<typeof ListDeliveries>;

export const DeliveryCount = z
  .object({
    date: CountedDay,
    status: DeliveryStatus,
    count: z.int().meta({ description: 'Number of deliveries of that day with the status.' }),
  })
  .meta({ id: 'DeliveryCount', description: 'Number of deliveries of one day with one status.' });
export type DeliveryCount = z.infer<typeof DeliveryCount>;
