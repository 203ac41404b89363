// Queries on webhook subscriptions. A deleted one is kept for its deliveries, and found by none of these.
import { sql, type Insertable, type Updateable } from 'kysely';
import { notFound } from '../errors.ts';
import type { Slice } from '../listing.ts';
import type { Database, Db, Transaction, WebhookRow } from './database.ts';

/** What is read from a webhook's deliveries, so that no delivery has to write the webhook's row. */
export interface WebhookHealth {
  last_delivery_at: Date | null;
  consecutive_failures: number;
}

/** Failures in a row are counted among this many newest deliveries. */
const newestDeliveries = 100;

export function insertWebhook(
  db: Db,
  webhook: Insertable<Database['webhook_subscriptions']>,
): Promise<WebhookRow> {
  return db
    .insertInto('webhook_subscriptions')
    .values(webhook)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function getWebhookRow(
  db: Db,
  projectId: string,
  id: string,
): Promise<WebhookRow & WebhookHealth> {
  const row = await selectWebhooks(db, projectId).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('webhook', id);
  return row;
}

export function listWebhookRows(
  db: Db,
  projectId: string,
  { limit, before }: Slice,
): Promise<(WebhookRow & WebhookHealth)[]> {
  return selectWebhooks(db, projectId)
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function lockWebhook(
  trx: Transaction,
  projectId: string,
  id: string,
): Promise<WebhookRow> {
  const row = await trx
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw notFound('webhook', id);
  return row;
}

export async function setWebhook(
  trx: Transaction,
  id: string,
  changes: Updateable<Database['webhook_subscriptions']>,
): Promise<void> {
  await trx.updateTable('webhook_subscriptions').set(changes).where('id', '=', id).execute();
}

/** Locks the project, so that two requests can't both take the last place. */
export async function countWebhooks(trx: Transaction, projectId: string): Promise<number> {
  await trx
    .selectFrom('projects')
    .select('id')
    .where('id', '=', projectId)
    .forNoKeyUpdate()
    .execute();
  const { count } = await trx
    .selectFrom('webhook_subscriptions')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

// Asked for `webhook_id = w.id order by id`, the planner, which doesn't know the webhook, may walk the
// primary key past everybody's deliveries. Only the index on both columns gives this range its order.
function selectWebhooks(db: Db, projectId: string) {
  return db
    .selectFrom('webhook_subscriptions as w')
    .selectAll('w')
    .select((eb) => [
      eb
        .selectFrom('deliveries')
        .select('delivered_at')
        .whereRef('webhook_id', '=', 'w.id')
        .where('delivered_at', 'is not', null)
        .orderBy('delivered_at', 'desc')
        .limit(1)
        .as('last_delivery_at'),
      sql<number>`(
        with newest as materialized (
          select status, concluded_at from deliveries
          where webhook_id >= w.id and webhook_id <= w.id
          order by webhook_id desc, id desc limit ${sql.lit(newestDeliveries)}
        )
        select count(*)::int from newest
        where status = 'failed' and concluded_at >= w.enabled_at and concluded_at > coalesce(
          (select max(concluded_at) from newest where status = 'delivered'), '-infinity')
      )`.as('consecutive_failures'),
    ])
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null);
}
