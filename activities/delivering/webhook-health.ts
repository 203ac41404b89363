// Acts on the outcomes of attempts: logs changes in the health of webhooks, and disables failing webhooks.
import type { Logger } from 'pino';
import type { Db } from '../../schema/database/tables.ts';
import type { WebhookTransition } from '../../schema/database/webhooks/delivery-attempts.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import {
  disableFailedWebhook,
  listFailedWebhooks,
  listLoggedWebhooks,
  type DisablingRule,
  type LoggedWebhook,
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
  const dependencies = { ...options, log };
  let queue: WebhookTransition[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const transitions = queue;
      queue = [];
      try {
        await logTransitions(dependencies, transitions);
        await disableFailed(dependencies, transitions);
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
  const ids = shown.map(({ webhook_id }) => webhook_id);
  const webhooks = await listLoggedWebhooks(db, ids);
  for (const { webhook_id, transition, ...failure } of shown) {
    const webhook = webhooks.get(webhook_id);
    if (!webhook) continue;
    const fields = toFields(webhook);
    if (transition === 'failing') log.warn({ ...fields, ...failure }, 'a webhook is failing');
    else log.info(fields, 'a webhook has recovered');
  }
}

/** Many failures of one webhook need only one check. */
async function disableFailed(
  { db, notifier, log, rule }: WebhookHealthOptions,
  transitions: WebhookTransition[],
): Promise<void> {
  const failed = transitions.filter(({ transition }) => transition === 'failed');
  if (failed.length === 0) return;
  const failures = new Map(failed.map((each) => [each.webhook_id, each]));
  for (const id of await listFailedWebhooks(db, [...failures.keys()], rule)) {
    const webhook = await inTransaction(db, notifier, (trx) => disableFailedWebhook(trx, id, rule));
    if (!webhook) continue;
    const { error_code, status_code } = failures.get(id)!;
    const fields = { ...toFields(webhook), error_code, status_code };
    log.warn({ ...fields, reason: 'failures' }, 'a webhook is disabled');
  }
}

/** Only the host, because a path may be secret. */
const toFields = ({ id, project_id, url }: LoggedWebhook) => ({
  project_id,
  webhook_id: id,
  host: new URL(url).host,
});
