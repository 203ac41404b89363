// Operations on users: read the users who have connected accounts, and erase a user.
import { lockAccountsOfUser } from '../../schema/database/accounts/accounts.ts';
import { findUserRow, listUserRows, type UserRow } from '../../schema/database/accounts/users.ts';
import type { Transaction } from '../../schema/database/tables.ts';
import type { User } from '../../schema/users.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import type { Text } from '../../schema/wire/names.ts';
import { eraseAllAccounts } from '../accounts/operations.ts';
import { eraseSessionsOfUser } from '../connect/operations.ts';
import type { Caller, Context } from '../http/context.ts';
import { page } from '../http/listing.ts';
import type { Answer } from '../http/transact.ts';

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

/**
 * Erases the user's connect sessions, then the accounts, so that no session can connect another account.
 * Every step is a transaction of its own. A repeat continues with what is left, so an Idempotency-Key has no
 * effect.
 */
export async function eraseUser(
  context: Context,
  caller: Caller,
  externalUserId: string,
): Promise<Answer<null>> {
  const { idempotency: _, ...eraser } = caller;
  await eraseSessionsOfUser(context, eraser, externalUserId);
  const lock = (trx: Transaction, limit: number) =>
    lockAccountsOfUser(trx, eraser, externalUserId, limit);
  await eraseAllAccounts(context, eraser, lock, 'user');
  return { status: 204, data: null };
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
