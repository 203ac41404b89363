// The lines of the log that tell an operator how webhooks fare: the host alone, since a path may be secret.
import type { Logger } from 'pino';
import type { DisabledReason } from '../../schema/webhooks.ts';

const lines = {
  failing: { level: 'warn', text: 'A webhook has begun to fail.' },
  recovered: { level: 'info', text: 'A webhook has recovered.' },
  disabled: { level: 'warn', text: 'A webhook is disabled.' },
} as const;

export interface WebhookChange {
  id: string;
  url: string;
  turn: keyof typeof lines;
  /** Of one that was disabled. */
  reason?: DisabledReason | null;
}

export function logWebhook(log: Logger, { id, url, turn, reason }: WebhookChange): void {
  const { level, text } = lines[turn];
  log[level]({ webhookId: id, host: new URL(url).host, ...(reason && { reason }) }, text);
}
