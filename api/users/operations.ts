// Operations on users: read who has connected accounts.
import { findUserRow, listUserRows, type UserRow } from '../../schema/database/accounts/users.ts';
import type { User } from '../../schema/users.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import type { Text } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import { page } from '../http/listing.ts';

export function listUsers({ db }: Context, caller: Caller, paging: Paging): Promise<Page<User>> {
  return page(
    'account',
    paging,
    (slice) => listUserRows(db, caller, slice),
    (rows) => rows.map(presentUser),
  );
}

export async function getUser(
  { db }: Context,
  caller: Caller,
  externalUserId: string,
): Promise<User> {
  const row = await findUserRow(db, caller, externalUserId);
  if (row) return presentUser(row);
  const shown = externalUserId.slice(0, 64);
  const message: Text = ({ field }) => `No account has the ${field('external_user_id')} ${shown}.`;
  throw new AppError('not_found', message);
}

function presentUser(row: UserRow): User {
  const byPlatform = Map.groupBy(row.platforms, (platform) => platform);
  return {
    external_user_id: row.external_user_id,
    external_user_email: row.external_user_email,
    account_count: row.platforms.length,
    reconnect_count: row.reconnect_count,
    platforms: [...byPlatform].map(([platform, { length }]) => ({
      platform,
      account_count: length,
    })),
    newest_account_id: row.id,
  };
}
