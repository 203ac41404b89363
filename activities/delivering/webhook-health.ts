// Acts on the outcomes of attempts: logs changes of webhooks' health, and disables failing ones.
import type { Logger } from 'pino';
import type { Db } from '../../schema/database/tables.ts';
import type { WebhookTransition } from '../../schema/database/webhooks/delivery-attempts.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import {
  disableFailedWebhook,
  listFailedWebhooks,
  listWebhookUrls,
  type DisablingRule,
} from '../../schema/database/webhooks/health.ts';

export interface WebhookHealth {
  /** Returns at once, so deliveries neither wait for this work nor fail with it. */
  readonly follow: (transitions: WebhookTransition[]) => void;
  /** Resolves once every transition so far has been handled. */
  settled(): Promise<void>;
}

export interface WebhookHealthOptions {
  db: Db;
  notifier: Notifier;
  log: Logger;
  rule: DisablingRule;
}

/** If a crash or an error prevents the check of a webhook, its next failed delivery repeats the check. */
export function createWebhookHealth(options: WebhookHealthOptions): WebhookHealth {
  const log = options.log.child({ component: 'webhook-health' });
  let queue: WebhookTransition[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const transitions = queue;
      queue = [];
      try {
        await logTransitions({ ...options, log }, transitions);
        await disableFailed({ ...options, log }, transitions);
      } catch (err) {
        log.error({ err }, 'the health of webhooks could not be checked');
      }
    }
    running = undefined;
  }

  return {
    follow(transitions) {
      queue.push(...transitions);
      running ??= drain();
    },
    settled: () => running ?? Promise.resolve(),
  };
}

async function logTransitions(
  { db, log }: WebhookHealthOptions,
  transitions: WebhookTransition[],
): Promise<void> {
  const shown = transitions.filter(({ transition }) => transition !== 'failed');
  if (shown.length === 0) return;
  const urls = await listWebhookUrls(
    db,
    shown.map(({ webhook_id }) => webhook_id),
  );
  for (const { webhook_id, transition } of shown) {
    const url = urls.get(webhook_id);
    if (url === undefined) continue;
    if (transition === 'failing') log.warn(toFields(webhook_id, url), 'a webhook is failing');
    else log.info(toFields(webhook_id, url), 'a webhook has recovered');
  }
}

/** Many failures of one webhook need one check. */
async function disableFailed(
  { db, notifier, log, rule }: WebhookHealthOptions,
  transitions: WebhookTransition[],
): Promise<void> {
  const failed = transitions.filter(({ transition }) => transition === 'failed');
  if (failed.length === 0) return;
  const webhookIds = new Set(failed.map(({ webhook_id }) => webhook_id));
  for (const id of await listFailedWebhooks(db, [...webhookIds], rule)) {
    const url = await inTransaction(db, notifier, (trx) => disableFailedWebhook(trx, id, rule));
    if (url === undefined) continue;
    log.warn({ ...toFields(id, url), reason: 'failures' }, 'a webhook is disabled');
  }
}

/** Only the host, because a path may be secret. */
const toFields = (webhook_id: string, url: string) => ({ webhook_id, host: new URL(url).host });
