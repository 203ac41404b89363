// Queries on users: the owners of accounts, as clients name them.
import { sql } from 'kysely';
import type { PlatformName } from '../../platforms/index.ts';
import { inScope, type RowScope } from '../row-scope.ts';
import type { Slice } from '../../wire/listing.ts';
import type { Db } from '../tables.ts';

export type UserRow = Awaited<ReturnType<typeof listUserRows>>[number];

/** Users in the order of their newest account, newest first. `id` is the ID of that account. */
export function listUserRows(db: Db, scope: RowScope, { limit, before }: Slice) {
  return select(db, scope)
    .$if(before !== undefined, (query) => query.having(newest, '<', before!))
    .orderBy(newest, 'desc')
    .limit(limit)
    .execute();
}

/** Undefined: no account names the user. */
export async function findUserRow(
  db: Db,
  scope: RowScope,
  externalUserId: string,
): Promise<UserRow | undefined> {
  return select(db, scope).where('external_user_id', '=', externalUserId).executeTakeFirst();
}

const newest = sql<string>`max(id)`;

function select(db: Db, scope: RowScope) {
  return db
    .selectFrom('social_accounts')
    .select(({ ref }) => [
      newest.as('id'),
      sql<string>`${ref('external_user_id')}`.as('external_user_id'),
      sql<string | null>`(array_agg(external_user_email order by id desc)
        filter (where external_user_email is not null))[1]`.as('external_user_email'),
      sql<number>`count(*) filter (where status = 'reconnect_required')::int`.as('reconnect_count'),
      // One item for each account.
      sql<PlatformName[]>`coalesce(array_agg(platform order by platform)
        filter (where status <> 'disconnected'), '{}')`.as('platforms'),
    ])
    .where(inScope(scope, 'social_accounts'))
    .where('external_user_id', 'is not', null)
    .groupBy('external_user_id');
}
