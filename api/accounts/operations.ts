// Operations on connected accounts: connect with plain credentials, read, disconnect.
import { findFormMethod } from '../../activities/platforms/index.ts';
import {
  Account,
  type ConnectAccount,
  type DisconnectAccount,
  type DisconnectReason,
} from '../../schema/accounts.ts';
import { requireReach } from '../../schema/api-keys.ts';
import {
  getAccountRow,
  listAccountRows,
  listAccountsById,
  lockAccount,
  type AccountFilters,
  type AccountRow,
} from '../../schema/database/accounts/accounts.ts';
import { endAccount } from '../../schema/database/dispatch/end-account.ts';
import { eraseAccounts } from '../../schema/database/dispatch/erasure.ts';
import type { GrantRow, SocialAccountRow, Transaction } from '../../schema/database/tables.ts';
import { validationError } from '../../schema/wire/errors.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import { present } from '../../schema/wire/present.ts';
import type { Caller, Context } from '../http/context.ts';
import { byIds, page } from '../http/listing.ts';
import { transact, type Answer, type Effects, type PageUser } from '../http/transact.ts';
import { explainAbsence } from '../platforms/absence.ts';
import { connectAtNetwork, onlyAccountOf } from './connect-at-network.ts';
import { revokeLogins } from './revoke-login.ts';
import { writeConnection, type NewConnection } from './write-connection.ts';

export const presentAccount = (row: AccountRow) =>
  present(Account, { ...row, defaults: { platform_options: row.default_options } });

/** Answers 201 for an account that is new to the project, and 200 for a known account. */
export async function connectAccount(
  context: Context,
  caller: Caller,
  input: ConnectAccount,
): Promise<Answer<Account>> {
  const { platform: name, external_user_id, external_user_email } = input;
  requireReach(caller, name);
  const platform = context.platforms.get(name);
  const method = platform && findFormMethod(platform);
  if (!method) {
    const issue = platform
      ? { code: 'consent_only', message: 'needs a connect session' }
      : explainAbsence(context.platforms, name, 'is not configured here');
    throw validationError([{ path: ['platform'], ...issue }]);
  }
  const { projectId } = caller;
  const { definition } = platform;
  const grant = await connectAtNetwork(context, projectId, definition, method, input.credentials);
  return connectOwn(context, caller, {
    platform: name,
    grant,
    accounts: [onlyAccountOf(grant)],
    appId: null,
    externalUserId: external_user_id,
    externalUserEmail: external_user_email,
  });
}

type OwnLogin = Omit<NewConnection, 'projectId' | 'connectionType' | 'mayMove'>;

/** Connects one account with a login of the client's own. Revokes the login that it replaces. */
export async function connectOwn(
  context: Context,
  caller: Caller,
  login: OwnLogin,
): Promise<Answer<Account>> {
  const { projectId } = caller;
  let left: GrantRow[] = [];
  const answer = await transact(context, caller, async (effects) => {
    const own = { connectionType: 'byo', mayMove: 'always' } as const;
    const { written, leftGrants } = await writeConnection(context, effects, {
      ...login,
      ...own,
      projectId,
    });
    left = leftGrants;
    const { account, isNew } = written[0]!;
    return { status: isNew ? 201 : 200, data: presentAccount(account) };
  });
  await revokeLogins(context, left, login.grant.credentials);
  return answer;
}

export function listAccounts(
  { db }: Context,
  caller: Caller,
  { limit, cursor, ...filters }: AccountFilters & Paging,
): Promise<Page<Account>> {
  return page(
    'account',
    { limit, cursor },
    (slice) => listAccountRows(db, caller, filters, slice),
    (rows) => rows.map(presentAccount),
  );
}

export async function getAccount({ db }: Context, caller: Caller, id: string): Promise<Account> {
  return presentAccount(await getAccountRow(db, caller, id));
}

export const findAccounts = byIds(listAccountsById, presentAccount);

/**
 * The account stays in lists, without a grant. When the last account of a grant is disconnected, the login is
 * revoked. A repeated call changes nothing, unless it is the first call that erases the account.
 */
export async function disconnectAccount(
  context: Context,
  caller: Caller,
  id: string,
  { erase }: DisconnectAccount,
): Promise<Answer<null>> {
  const lock = async (trx: Transaction) => [await lockAccount(trx, caller, id)];
  await endAccounts(context, caller, lock, { erase, reason: 'user' });
  return { status: 204, data: null };
}

interface AccountEnd {
  erase: boolean;
  reason: DisconnectReason;
}

/**
 * Disconnects the accounts that `lock` returns, and revokes the logins that have no account left. Returns the
 * number of accounts.
 */
async function endAccounts(
  context: Context,
  caller: Caller | PageUser,
  lock: (trx: Transaction) => Promise<SocialAccountRow[]>,
  { erase, reason }: AccountEnd,
): Promise<number> {
  let count = 0;
  let left: GrantRow[] = [];
  await transact(context, caller, async (effects) => {
    const accounts = await lock(effects.trx);
    count = accounts.length;
    left = [];
    for (const account of accounts) {
      if (account.status === 'disconnected') continue;
      const grant = await endAccount(effects.trx, account, context.config, reason);
      effects.change({ subject: 'account', subject_id: account.id, kind: 'disconnected' });
      if (grant) left.push(grant);
    }
    if (erase) await eraseNow(effects, accounts);
    return { status: 204, data: null };
  });
  await revokeLogins(context, left);
  return count;
}

/** Accounts that are disconnected in one transaction. After it, their logins are revoked in parallel. */
const accountsAtOnce = 20;

/**
 * Disconnects and erases accounts until `lock` returns none. Each step is a transaction of its own, so a repeat
 * continues with what is left.
 */
export async function eraseAllAccounts(
  context: Context,
  caller: Caller | PageUser,
  lock: (trx: Transaction, limit: number) => Promise<SocialAccountRow[]>,
  reason: DisconnectReason,
): Promise<void> {
  const lockNext = (trx: Transaction) => lock(trx, accountsAtOnce);
  let count: number;
  do {
    count = await endAccounts(context, caller, lockNext, { erase: true, reason });
  } while (count > 0);
}

/** Erases the accounts. Pruning erases their results and events later. */
async function eraseNow({ trx, change }: Effects, accounts: SocialAccountRow[]): Promise<void> {
  const named = accounts.filter((account) => !account.is_erased);
  await eraseAccounts(trx, named);
  for (const { id } of named) change({ subject: 'account', subject_id: id, kind: 'erased' });
}
