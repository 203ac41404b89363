// What follows from the outcomes of attempts for their webhooks: lines in the log, and disabling.
import type { Logger } from 'pino';
import type { Db } from '../../schema/database/tables.ts';
import type { WebhookTurn } from '../../schema/database/webhooks/delivery-attempts.ts';
import type { Notifier } from '../../schema/database/live/notifier.ts';
import {
  disableFailedWebhook,
  listFailedWebhooks,
  listWebhookUrls,
  type DisablingRule,
} from '../../schema/database/webhooks/health.ts';
import { logWebhook } from './webhook-log.ts';

export interface WebhookHealth {
  /** Returns at once: no delivery waits for what follows, or fails with it. */
  readonly follow: (turns: WebhookTurn[]) => void;
  /** Resolves once everything taken so far has been followed. */
  settled(): Promise<void>;
}

export interface WebhookHealthOptions {
  db: Db;
  notifier: Notifier;
  log: Logger;
  rule: DisablingRule;
}

/** What a crash or a fault keeps from being judged, the next event that fails for good will. */
export function createWebhookHealth(options: WebhookHealthOptions): WebhookHealth {
  let queue: WebhookTurn[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const turns = queue;
      queue = [];
      try {
        await tell(options, turns);
        await judge(options, turns);
      } catch (err) {
        options.log.error({ err }, 'The health of webhooks could not be judged.');
      }
    }
    running = undefined;
  }

  return {
    follow(turns) {
      queue.push(...turns);
      running ??= drain();
    },
    settled: () => running ?? Promise.resolve(),
  };
}

async function tell({ db, log }: WebhookHealthOptions, turns: WebhookTurn[]): Promise<void> {
  const told = turns.flatMap(({ webhook_id, turn }) =>
    turn === 'failed' ? [] : [{ id: webhook_id, turn }],
  );
  if (told.length === 0) return;
  const urls = await listWebhookUrls(
    db,
    told.map(({ id }) => id),
  );
  for (const { id, turn } of told) {
    const url = urls.get(id);
    if (url !== undefined) logWebhook(log, { id, url, turn });
  }
}

/** Many failures of one webhook that came together are one question. */
async function judge(
  { db, notifier, log, rule }: WebhookHealthOptions,
  turns: WebhookTurn[],
): Promise<void> {
  const failed = turns.filter(({ turn }) => turn === 'failed').map((turn) => turn.webhook_id);
  if (failed.length === 0) return;
  for (const id of await listFailedWebhooks(db, [...new Set(failed)], rule)) {
    const url = await db.transaction().execute((trx) => disableFailedWebhook(trx, id, rule));
    if (url === undefined) continue;
    notifier.notify('fanfare_changes');
    logWebhook(log, { id, url, turn: 'disabled', reason: 'failures' });
  }
}
