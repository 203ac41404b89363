// Webhooks: the subscriptions of a project's receivers, as the wire shows them.
import { z } from 'zod';
import { KeyEnvironment } from './api-keys.ts';
import { EventType, liveEventTypes } from './event-types.ts';
import { describedEnum } from './wire/described-enum.ts';
import { CreatedAt, GivenName, Id, Name } from './wire/shared-fields.ts';
import { someChange } from './wire/some-change.ts';
import { Timestamp } from './wire/timestamp.ts';

export const WebhookStatus = describedEnum('WebhookStatus', 'Webhook status.', {
  active: 'Events are sent.',
  disabled: 'Events are skipped.',
});
export type WebhookStatus = z.infer<typeof WebhookStatus>;

export const DisabledReason = describedEnum('DisabledReason', 'Why the webhook was disabled.', {
  failures: 'Too many events in a row failed.',
  user: 'You disabled the webhook.',
});
export type DisabledReason = z.infer<typeof DisabledReason>;

export const Webhook = z
  .object({
    id: Id,
    environment: KeyEnvironment.meta({
      description:
        'Environment of the API key that created the webhook. A test webhook receives only events of sandbox accounts.',
    }),
    name: Name.nullable().meta({ description: 'Name for display. Null if it has none.' }),
    url: z.string().meta({ description: 'URL that events are sent to.' }),
    events: z.array(EventType).meta({ description: 'Event types that the webhook receives.' }),
    status: WebhookStatus,
    active: z.boolean().meta({ description: 'Whether events are sent.' }),
    disabled_reason: DisabledReason.nullable().meta({
      description: 'Why the webhook was disabled. Null if it is active.',
    }),
    disabled_at: Timestamp.nullable().meta({
      description: 'Time when the webhook was disabled. Null if it is active.',
    }),
    failing_since: Timestamp.nullable().meta({
      description:
        'Time of the first failed attempt since the last success. Null if no attempt has failed since.',
    }),
    consecutive_failures: z.int().meta({
      description: 'Number of events in a row whose every attempt failed, up to 100.',
    }),
    last_delivery_at: Timestamp.nullable().meta({
      description:
        'Time of the last delivered event, except test events and manual retries. Null if there is none.',
    }),
    secret_preview: z.string().meta({
      description: 'First characters of the signing secret, to recognize it by.',
    }),
    created_at: CreatedAt,
  })
  .meta({ id: 'Webhook', description: 'A URL that receives events.' });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookWithSecret = Webhook.extend({
  secret: z.string().meta({ description: 'Signing secret. Shown only once.' }),
}).meta({ id: 'WebhookWithSecret', description: 'A webhook with its new signing secret.' });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const CreateWebhook = z
  .strictObject({
    url: z.string().max(2048).meta({ description: 'Absolute HTTPS URL to send events to.' }),
    events: z
      .array(EventType)
      .min(1, 'must have at least 1 item; omit it to receive every live event type')
      .default(() => [...liveEventTypes])
      .meta({ description: 'Event types to receive. Default: every live event type.' }),
    name: GivenName.optional().meta({ description: 'Name for display. Default: none.' }),
    active: z
      .boolean()
      .default(true)
      .meta({ description: 'Whether to send events. Default: true.' }),
  })
  .meta({ id: 'CreateWebhook', description: 'A webhook to create.' });
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = someChange(
  z.strictObject({
    url: z.string().max(2048).optional().meta({
      description: 'Absolute HTTPS URL to send events to.',
    }),
    events: z
      .array(EventType)
      .min(1, 'must have at least 1 item; omit it to leave the event types unchanged')
      .optional()
      .meta({ description: 'Event types to receive.' }),
    name: GivenName.nullable().optional().meta({
      description: 'Name for display. Null removes it.',
    }),
    active: z.boolean().optional().meta({
      description:
        'Whether to send events. `true` enables a disabled webhook and resets its failure count.',
    }),
  }),
).meta({
  id: 'UpdateWebhook',
  description: 'Changes to a webhook. Omitted fields stay as they are.',
});
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

export const TestWebhook = z
  .strictObject({
    event: EventType.optional().meta({
      description: 'Event type to send. Default: the first one that the webhook receives.',
    }),
  })
  .meta({ id: 'TestWebhook', description: 'A test event to send.' });
export type TestWebhook = z.infer<typeof TestWebhook>;

export const RotateWebhook = z
  .strictObject({
    overlap_seconds: z.int().min(0).max(86_400).default(0).meta({
      description:
        'Time in seconds during which `webhook-signature` also carries a signature of the previous secret. Default: 0.',
    }),
  })
  .meta({ id: 'RotateWebhook', description: 'How to replace a signing secret.' });
export type RotateWebhook = z.infer<typeof RotateWebhook>;
