// Rate limits as all workers share them: what networks have said, and the operator's ceilings.
import { sql } from 'kysely';
import type { PlatformName } from '../platforms.ts';
import type { Db } from './database.ts';

export const appLimitKey = (platform: PlatformName) => `app/${platform}`;
export const accountLimitKey = (accountId: string) => `account/${accountId}`;

/** The network takes nothing until then; what was learnt of a later time stays. */
export async function setBlocked(db: Db, key: string, until: Date): Promise<void> {
  await sql`
    insert into rate_limits as known (key, blocked_until) values (${key}, ${until})
    on conflict (key) do update
      set blocked_until = greatest(known.blocked_until, excluded.blocked_until)`.execute(db);
}

/** Reserves the next place under a ceiling, `everyMs` after the one before; returns when it is. */
export async function reserveTurn(db: Db, key: string, everyMs: number): Promise<Date> {
  const { rows } = await sql<{ turn_at: Date }>`
    insert into rate_limits as known (key, next_free_at)
    values (${key}, now() + ${everyMs} * interval '1 ms')
    on conflict (key) do update
      set next_free_at = greatest(known.next_free_at, now()) + ${everyMs} * interval '1 ms'
    returning next_free_at - ${everyMs} * interval '1 ms' as turn_at`.execute(db);
  return rows[0]!.turn_at;
}
