// Webhooks: the subscriptions of a project's receivers, as the wire shows them.
import { z } from 'zod';
import { keyEnvironments } from './api-keys.ts';
import { EventType, liveEventTypes } from './events.ts';
import { someChange } from './wire/some-change.ts';
import { Timestamp } from './wire/timestamp.ts';

export const webhookStatuses = ['active', 'disabled'] as const;
export const disabledReasons = ['failures', 'user'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];
export type DisabledReason = (typeof disabledReasons)[number];

export const Webhook = z
  .object({
    id: z.string(),
    environment: z.enum(keyEnvironments),
    name: z.string().nullable(),
    url: z.string(),
    events: z.array(EventType),
    status: z.enum(webhookStatuses),
    active: z.boolean(),
    disabled_reason: z.enum(disabledReasons).nullable(),
    disabled_at: Timestamp.nullable(),
    failing_since: Timestamp.nullable().meta({
      description: 'A warning: attempts have failed since then, and none has succeeded.',
    }),
    consecutive_failures: z.int().meta({
      description: 'Events in a row that have failed for good, up to 100.',
    }),
    last_delivery_at: Timestamp.nullable().meta({
      description: 'When an event was last delivered, not counting tests and manual retries.',
    }),
    secret_preview: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookWithSecret = Webhook.extend({
  secret: z.string().meta({ description: 'The signing secret. Shown only in this answer.' }),
}).meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const CreateWebhook = z
  .strictObject({
    url: z.string().max(2048),
    events: z
      .array(EventType)
      .min(1, 'must have at least 1 item; omit it for every live kind')
      .default(() => [...liveEventTypes])
      .meta({ description: 'Default: every live kind.' }),
    name: z.string().min(1).max(255).optional(),
    active: z.boolean().default(true),
  })
  .meta({ id: 'CreateWebhook' });
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = someChange(
  z.strictObject({
    url: z.string().max(2048).optional(),
    events: z
      .array(EventType)
      .min(1, 'must have at least 1 item; omit it to leave the kinds as they are')
      .optional(),
    name: z.string().min(1).max(255).nullable().optional(),
    active: z.boolean().optional().meta({
      description: '`true` enables a disabled webhook and clears its failure count.',
    }),
  }),
).meta({ id: 'UpdateWebhook' });
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

export const TestWebhook = z
  .strictObject({
    event: EventType.optional().meta({
      description: 'Any kind. Default: the first that the webhook is subscribed to.',
    }),
  })
  .meta({ id: 'TestWebhook' });
export type TestWebhook = z.infer<typeof TestWebhook>;

export const RotateWebhook = z
  .strictObject({
    overlap_seconds: z.int().min(0).max(86_400).default(0).meta({
      description: 'How long `webhook-signature` carries the previous secret too.',
    }),
  })
  .meta({ id: 'RotateWebhook' });
export type RotateWebhook = z.infer<typeof RotateWebhook>;
