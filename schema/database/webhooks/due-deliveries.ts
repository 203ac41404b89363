// What a batch needs to attempt its deliveries: one query for their states, bodies and webhooks.
import { sql } from 'kysely';
import type { DeliveryStatus, DeliveryTrigger } from '../../deliveries.ts';
import type { EventType } from '../../events.ts';
import { insertChanges } from '../live/changes.ts';
import type { Db, WebhookRow } from '../tables.ts';
import { areDeliveriesPaused } from '../dispatch/pauses.ts';
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

/**
 * Those of the batch that have not concluded, whether due or not; of the ids alone where they are
 * given. Deliveries to one webhook share its object.
 */
export async function listUnfinished(
  db: Db,
  batchId: string,
  deliveryIds?: string[],
): Promise<DueDelivery[]> {
  const rows = await db
    .selectFrom('deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .innerJoin('webhook_subscriptions as w', 'w.id', 'd.webhook_id')
    .modifyFront(sql.raw(`/* prepared: list_unfinished${deliveryIds ? '_of' : ''} */`))
    .select(['d.id', 'd.project_id', 'd.event_id', 'd.event', 'd.trigger', 'd.attempt_count'])
    .select(['d.scheduled_attempts', 'd.ladder_start', 'd.next_attempt_at', 'e.body'])
    .select(['w.id as webhook_id', 'w.url', 'w.status', 'w.deleted_at', 'w.secret'])
    .select(['w.secret_key_id', 'w.previous_secret', 'w.previous_secret_key_id'])
    .select(['w.previous_secret_until', areDeliveriesPaused.as('is_paused')])
    .$if(deliveryIds !== undefined, (query) =>
      query.where('d.id', '=', sql<string>`any(${deliveryIds})`),
    )
    .where('d.batch_id', '=', batchId)
    // Not as parameters: a plan that is kept must know that the index on what waits serves it.
    .where(sql<boolean>`(d.status = 'pending' or d.status = 'retrying')`)
    .execute();
  const webhooks = new Map<string, DueDelivery['webhook']>();
  return rows.map((row) => {
    const { webhook_id: id, url, status, deleted_at, secret, secret_key_id, ...rest } = row;
    const { previous_secret, previous_secret_key_id, previous_secret_until, ...delivery } = rest;
    const webhook = webhooks.get(id) ?? {
      id,
      url,
      status,
      deleted_at,
      secret,
      secret_key_id,
      previous_secret,
      previous_secret_key_id,
      previous_secret_until,
    };
    webhooks.set(id, webhook);
    return { ...delivery, webhook };
  });
}

/** Ends deliveries whose webhook takes no more. */
export async function concludeUnsent(
  db: Db,
  batchId: string,
  deliveries: Pick<DueDelivery, 'id' | 'project_id'>[],
  status: Extract<DeliveryStatus, 'skipped' | 'canceled'>,
): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map((delivery) => delivery.id);
  await db.transaction().execute(async (trx) => {
    const concluded = await trx
      .updateTable('deliveries')
      .set({ status, concluded_at: sql<Date>`now()`, next_attempt_at: null })
      .where('id', 'in', ids)
      .where('batch_id', '=', batchId)
      .where('status', 'in', ['pending', 'retrying'])
      .returning(['id', 'project_id'])
      .execute();
    await insertChanges(
      trx,
      concluded.map(({ id, project_id }) => ({
        project_id,
        subject: 'delivery',
        subject_id: id,
        kind: status,
      })),
    );
  });
}
