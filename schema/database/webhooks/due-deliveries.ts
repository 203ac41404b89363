// The deliveries of a batch with everything that an attempt needs, in one query.
import { sql } from 'kysely';
import type { DeliveryTrigger } from '../../deliveries.ts';
import type { EventType } from '../../event-types.ts';
import { executePrepared } from '../prepared.ts';
import type { Db, WebhookRow } from '../tables.ts';
import { areDeliveriesPaused } from '../pauses.ts';
import type { SecretColumns } from './secrets.ts';

export interface DueDelivery {
  id: string;
  project_id: string;
  event_id: string;
  event: EventType;
  trigger: DeliveryTrigger;
  attempt_count: number;
  scheduled_attempts: number;
  ladder_start: number;
  next_attempt_at: Date | null;
  /** The operator has paused all deliveries. */
  is_paused: boolean;
  body: string;
  webhook: SecretColumns & Pick<WebhookRow, 'url' | 'status' | 'deleted_at'>;
}

/** Unfinished deliveries of the batch, due or not. `deliveryIds`: returns only deliveries with these IDs. */
export async function listUnfinished(
  db: Db,
  batchId: string,
  deliveryIds?: string[],
): Promise<DueDelivery[]> {
  const statement = db
    .selectFrom('deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .innerJoin('webhook_subscriptions as w', 'w.id', 'd.webhook_id')
    .select(['d.id', 'd.project_id', 'd.event_id', 'd.event', 'd.trigger', 'd.attempt_count'])
    .select(['d.scheduled_attempts', 'd.ladder_start', 'd.next_attempt_at', 'e.body'])
    .select(['w.id as webhook_id', 'w.url', 'w.status', 'w.deleted_at', 'w.secret'])
    .select(['w.secret_key_id', 'w.previous_secret', 'w.previous_secret_key_id'])
    .select(['w.previous_secret_until', areDeliveriesPaused.as('is_paused')])
    .$if(deliveryIds !== undefined, (query) =>
      query.where('d.id', '=', sql<string>`any(${deliveryIds})`),
    )
    .where('d.batch_id', '=', batchId)
    // Not parameters, because Postgres must recognize the condition of the partial index.
    .where(sql<boolean>`(d.status = 'pending' or d.status = 'retrying')`);
  const name = deliveryIds ? 'list_unfinished_of' : 'list_unfinished';
  const rows = await executePrepared(db, name, statement);
  const webhooks = new Map<string, DueDelivery['webhook']>();
  return rows.map((row) => {
    const { webhook_id: id, url, status, deleted_at, secret, secret_key_id, ...rest } = row;
    const { previous_secret, previous_secret_key_id, previous_secret_until, ...delivery } = rest;
    const previous = { previous_secret, previous_secret_key_id, previous_secret_until };
    const columns = { id, url, status, deleted_at, secret, secret_key_id, ...previous };
    const webhook = webhooks.get(id) ?? columns;
    webhooks.set(id, webhook);
    return { ...delivery, webhook };
  });
}
