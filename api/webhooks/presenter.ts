// Turns the row of a webhook into its wire type. Only the operation that made the secret adds it.
import type { WebhookRow } from '../../schema/database/tables.ts';
import type { WebhookHealth } from '../../schema/database/webhooks/webhooks.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Webhook } from '../../schema/webhooks.ts';

export function presentWebhook(row: WebhookRow & WebhookHealth): Webhook {
  return {
    id: row.id,
    environment: row.environment,
    name: row.name,
    url: row.url,
    events: row.events,
    status: row.status,
    active: row.status === 'active',
    disabled_reason: row.disabled_reason,
    disabled_at: toTimestamp(row.disabled_at),
    failing_since: toTimestamp(row.failing_since),
    consecutive_failures: row.consecutive_failures,
    last_delivery_at: toTimestamp(row.last_delivery_at),
    secret_preview: row.secret_preview,
    created_at: toTimestamp(row.created_at),
  };
}
