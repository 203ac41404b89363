// Queries on webhooks. A deleted webhook stays for its deliveries, but no query here returns it.
import type { InsertObject, UpdateObject } from 'kysely';
import { notFound } from '../../wire/errors.ts';
import type { Slice } from '../../wire/listing.ts';
import type { Database, Db, Transaction, WebhookRow } from '../tables.ts';
import { inScope, selectInScope, updateOfProject, type RowScope } from '../row-scope.ts';
import { countFailures, lastDeliveryAt } from './health.ts';

/** Read from the webhook's deliveries, so that deliveries don't have to write its row. */
export interface WebhookHealth {
  last_delivery_at: Date | null;
  consecutive_failures: number;
}

/** Failures beyond this number are not counted for readers. */
const maxCountedFailures = 100;

export function insertWebhook(
  db: Db,
  webhook: InsertObject<Database, 'webhook_subscriptions'>,
): Promise<WebhookRow> {
  return db
    .insertInto('webhook_subscriptions')
    .values(webhook)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function getWebhookRow(
  db: Db,
  scope: RowScope,
  id: string,
): Promise<WebhookRow & WebhookHealth> {
  return selectWebhooks(db, scope)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('webhook', id));
}

export function listWebhookRows(
  db: Db,
  scope: RowScope,
  { limit, before }: Slice,
): Promise<(WebhookRow & WebhookHealth)[]> {
  return selectWebhooks(db, scope)
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function listWebhooksById(
  db: Db,
  scope: RowScope,
  ids: string[],
): Promise<(WebhookRow & WebhookHealth)[]> {
  if (ids.length === 0) return [];
  return selectWebhooks(db, scope).where('id', 'in', ids).execute();
}

export function lockWebhook(trx: Transaction, scope: RowScope, id: string): Promise<WebhookRow> {
  return selectInScope(trx, scope, 'webhook_subscriptions')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('webhook', id));
}

export async function setWebhook(
  trx: Transaction,
  projectId: string,
  id: string,
  changes: UpdateObject<Database, 'webhook_subscriptions'>,
): Promise<void> {
  await updateOfProject(trx, projectId, 'webhook_subscriptions', id).set(changes).execute();
}

/** Locks the project, so that two requests can't both create the last webhook that the limit allows. */
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

function selectWebhooks(db: Db, scope: RowScope) {
  return db
    .selectFrom('webhook_subscriptions as w')
    .selectAll('w')
    .select([
      lastDeliveryAt.as('last_delivery_at'),
      countFailures(maxCountedFailures).as('consecutive_failures'),
    ])
    .where('deleted_at', 'is', null)
    .where(inScope(scope, 'w'));
}
