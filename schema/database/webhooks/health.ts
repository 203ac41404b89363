// The health of webhooks, counted from their deliveries, and the disabling of webhooks that only fail.
import { sql } from 'kysely';
import { ago } from '../database-clock.ts';
import { insertChanges } from '../live/changes.ts';
import type { Db, Transaction, WebhookRow } from '../tables.ts';
import { concludeWaiting } from './waiting-deliveries.ts';

export interface DisablingRule {
  /** How many different events in a row must fail for good before a webhook is disabled. */
  afterFailures: number;
  /** How long the webhook must also be without a successful delivery. */
  afterMs: number;
}

/**
 * SQL on deliveries: whether a receiver accepted the delivery. Test events and manual attempts don't count.
 */
export const isSuccess = sql`delivered_at is not null and trigger <> 'test' and not is_delivered_manually`;

/** SQL on `webhook_subscriptions as w`. */
export const lastDeliveryAt = sql<Date | null>`(
  select max(delivered_at) from deliveries where webhook_id = w.id and ${isSuccess}
)`;

const countedFrom = sql<Date>`greatest(w.enabled_at, ${lastDeliveryAt})`;

/**
 * Call it after recent deliveries were deleted, so that failures before a deleted success don't count again.
 * It locks webhooks, and all deliveries wait for these locks, so nothing slow should follow in the
 * transaction.
 */
export async function keepSuccesses(
  trx: Transaction,
  successes: readonly { webhook_id: string; delivered_at: Date }[],
): Promise<void> {
  const ids = successes.map(({ webhook_id }) => webhook_id);
  const times = successes.map(({ delivered_at }) => delivered_at);
  await sql`
    with success as (
      select * from unnest(${ids}::text[], ${times}::timestamptz[]) as s (webhook_id, delivered_at)
    ), locked as materialized (
      select id from webhook_subscriptions where id = any (${ids}::text[])
      order by id for no key update
    )
    update webhook_subscriptions w set enabled_at = success.delivered_at
    from success join locked on locked.id = success.webhook_id
    where w.id = locked.id and w.enabled_at < success.delivered_at`.execute(trx);
}

/** SQL on `webhook_subscriptions as w`: how many events in a row have failed for good, up to `limit`. */
export function countFailures(limit: number) {
  return sql<number>`(
    select count(*)::int from (
      select from deliveries
      where webhook_id = w.id and failed_at > ${countedFrom}
      limit ${sql.lit(limit)}
    ) as failed
  )`;
}

/** Webhooks that the rule would disable. */
export async function listFailedWebhooks(
  db: Db,
  ids: string[],
  { afterFailures, afterMs }: DisablingRule,
): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_subscriptions as w')
    .select('w.id')
    .where('w.id', 'in', ids)
    .where('w.status', '=', 'active')
    .where('w.deleted_at', 'is', null)
    .where(countedFrom, '<=', ago(afterMs))
    .where(countFailures(afterFailures), '>=', afterFailures)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Checks the rule again with the webhook's row locked, so that only one of several workers disables it. A
 * success that is already committed keeps the webhook enabled. Returns the webhook if this call disabled it.
 */
export async function disableFailedWebhook(
  trx: Transaction,
  id: string,
  rule: DisablingRule,
): Promise<LoggedWebhook | undefined> {
  const webhook = await trx
    .selectFrom('webhook_subscriptions')
    .select(['id', 'project_id', 'url'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  const [failed] = webhook ? await listFailedWebhooks(trx, [id], rule) : [];
  if (!webhook || failed === undefined) return undefined;
  await trx
    .updateTable('webhook_subscriptions')
    .set({ status: 'disabled', disabled_reason: 'failures', disabled_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
  const { project_id } = webhook;
  await insertChanges(trx, [{ project_id, subject: 'webhook', subject_id: id, kind: 'disabled' }]);
  await concludeWaiting(trx, id, 'skipped');
  return webhook;
}

export type WebhookState = 'healthy' | 'failing' | 'disabled_by_failures' | 'disabled_by_user';

/** Counts the webhooks of all projects by state. A state without webhooks has the count 0. */
export async function countWebhooksByState(
  db: Db,
): Promise<{ state: WebhookState; count: number }[]> {
  const { rows } = await sql<{ state: WebhookState; count: number }>`
    select state, count(w.id)::int as count
    from unnest(array['healthy', 'failing', 'disabled_by_failures', 'disabled_by_user']) as state
    left join webhook_subscriptions w on deleted_at is null and state = case
      when status = 'disabled' then 'disabled_by_' || disabled_reason
      when failing_since is null then 'healthy' else 'failing' end
    group by state`.execute(db);
  return rows;
}

/** What the log says of a webhook. */
export type LoggedWebhook = Pick<WebhookRow, 'id' | 'project_id' | 'url'>;

/** Webhooks of any project, for the log. */
export async function listLoggedWebhooks(
  db: Db,
  ids: string[],
): Promise<Map<string, LoggedWebhook>> {
  const rows = await db
    .selectFrom('webhook_subscriptions')
    .select(['id', 'project_id', 'url'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
