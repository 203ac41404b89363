// Rate limits shared by all workers: limits that networks reported, and ceilings that the operator set.
import { sql, type RawBuilder } from 'kysely';
import { inMs, msUntil } from '../database-clock.ts';
import type { Db } from '../tables.ts';

/** The app's id, or the network's name for accounts that no app connected. */
export const appLimitKey = (app: string) => `app/${app}`;
/** The quota of an app. It is not a rate limit, because targets wait longer for a quota. */
export const appQuotaKey = (app: string) => `quota/${app}`;
export const grantLimitKey = (grantId: string) => `grant/${grantId}`;
export const accountLimitKey = (accountId: string) => `account/${accountId}`;

/**
 * SQL: the keys of the rate limits that apply to a target. `results` and `grants` are aliases of its tables.
 */
export function limitKeys(results: string, grants: string) {
  const keys = [
    sql`'app/' || ${appOf(results, grants)}`,
    sql`'grant/' || ${sql.ref(`${grants}.id`)}`,
    sql`'account/' || ${sql.ref(`${results}.social_account_id`)}`,
  ];
  return keys.map(asKey);
}

/** SQL: the key of the quota of a target's app, with the same aliases. */
export const quotaKey = (results: string, grants: string) =>
  asKey(sql`'quota/' || ${appOf(results, grants)}`);

const appOf = (results: string, grants: string) =>
  sql`coalesce(${sql.ref(`${grants}.app_id`)}, ${sql.ref(`${results}.platform`)})`;

// Without the cast, the collation of ids would keep Postgres from using the index on `key`.
const asKey = (key: RawBuilder<unknown>) => sql<string>`(${key}) collate "default"`;

/** Blocks calls to the network for this long. If an earlier report named a later time, that time stays. */
export async function setBlocked(db: Db, key: string, forMs: number): Promise<void> {
  await sql`
    insert into rate_limits as known (key, blocked_until) values (${key}, ${inMs(forMs)})
    on conflict (key) do update
      set blocked_until = greatest(known.blocked_until, excluded.blocked_until)`.execute(db);
}

/** Reserves the next slot under a ceiling, `everyMs` after the slot before it. */
export async function reserveSlot(
  db: Db,
  key: string,
  everyMs: number,
): Promise<{ at: Date; waitMs: number }> {
  const { rows } = await sql<{ at: Date; wait_ms: number }>`
    insert into rate_limits as known (key, next_free_at)
    values (${key}, ${inMs(everyMs)})
    on conflict (key) do update
      set next_free_at = greatest(known.next_free_at, now()) + ${everyMs} * interval '1 ms'
    returning next_free_at - ${everyMs} * interval '1 ms' as at,
      ${msUntil(sql.ref('next_free_at'))} - ${everyMs} as wait_ms`.execute(db);
  const { at, wait_ms } = rows[0]!;
  return { at, waitMs: Math.ceil(wait_ms) };
}

/** Whether the network takes no posts under one of the keys for now. */
export async function isBlocked(db: Db, keys: string[]): Promise<boolean> {
  const blocked = await db
    .selectFrom('rate_limits')
    .select('key')
    .where('key', '=', sql<string>`any (${keys}::text[])`)
    .where('blocked_until', '>', sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst();
  return blocked !== undefined;
}
