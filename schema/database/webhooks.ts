// Queries on webhook subscriptions. A deleted one is kept for its deliveries, and found by none of these.
import type { Insertable, Updateable } from 'kysely';
import { notFound } from '../errors.ts';
import type { Slice } from '../listing.ts';
import type { Database, Db, Transaction, WebhookRow } from './database.ts';
import { countFailures, lastDeliveryAt } from './webhook-health.ts';

/** What is read from a webhook's deliveries, so that no delivery has to write the webhook's row. */
export interface WebhookHealth {
  last_delivery_at: Date | null;
  consecutive_failures: number;
}

/** More failures in a row are not counted for a reader. */
const maxCountedFailures = 100;

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

/** Without a project of any: for the live feed, whose changes belong to a project already. */
export async function listWebhooksById(
  db: Db,
  ids: string[],
  projectId?: string,
): Promise<(WebhookRow & WebhookHealth)[]> {
  if (ids.length === 0) return [];
  const query = projectId === undefined ? selectWithHealth(db) : selectWebhooks(db, projectId);
  return query.where('id', 'in', ids).execute();
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

function selectWebhooks(db: Db, projectId: string) {
  return selectWithHealth(db).where('project_id', '=', projectId);
}

function selectWithHealth(db: Db) {
  return db
    .selectFrom('webhook_subscriptions as w')
    .selectAll('w')
    .select([
      lastDeliveryAt.as('last_delivery_at'),
      countFailures(maxCountedFailures).as('consecutive_failures'),
    ])
    .where('deleted_at', 'is', null);
}
