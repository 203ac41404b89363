// Says whether an account can publish, now and soon, and what to do if it can't.
import { AccountHealth, expiryWarningsMs, type AccountIssue } from '../../schema/accounts.ts';
import {
  getAccountRow,
  listHealth,
  type HealthRow,
} from '../../schema/database/accounts/accounts.ts';
import { present } from '../../schema/wire/present.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Caller, Context } from '../http/context.ts';

/** A single failure usually passes by itself. */
const failuresToWarn = 3;

export async function getAccountHealth(
  context: Context,
  caller: Caller,
  accountId: string,
): Promise<AccountHealth> {
  await getAccountRow(context.db, caller, accountId);
  return (await findHealth(context, caller, [accountId])).get(accountId)!;
}

/** The caller must have access to the accounts. */
export async function findHealth(
  { db }: Context,
  caller: Caller,
  accountIds: string[],
): Promise<Map<string, AccountHealth>> {
  const rows = await listHealth(db, caller, accountIds);
  return new Map(rows.map((row) => [row.id, presentHealth(row)]));
}

function presentHealth(row: HealthRow): AccountHealth {
  const issue = findIssue(row);
  return present(AccountHealth, {
    ...row,
    social_account_id: row.id,
    status: issue?.status ?? 'ok',
    issues: issue ? [{ code: issue.code, message: issue.message }] : [],
    last_successful_post_at: row.last_published_at,
  });
}

const appLost = 'The app that connected the account was deleted.';
const connectAgain = 'Have the user connect the account again, through a connect session.';

function findIssue({
  status,
  is_refreshed,
  refresh_failures,
  has_lost_app: isAppLost,
  expires_in_ms: expiresInMs,
  token_expires_at: expiresAt,
}: HealthRow): (AccountIssue & Pick<AccountHealth, 'status'>) | undefined {
  switch (status) {
    case 'disconnected':
      return {
        status: 'error',
        code: 'disconnected',
        message: 'The account was disconnected. To publish to it, connect it again.',
      };
    case 'reconnect_required':
      return {
        status: 'error',
        code: 'reconnect_required',
        message: `${isAppLost ? appLost : 'The network no longer grants access.'} ${connectAgain}`,
      };
    case 'active':
  }
  if ((refresh_failures ?? 0) >= failuresToWarn) {
    return {
      status: 'warning',
      code: 'refresh_failing',
      message: `The last ${refresh_failures} refreshes of the login failed. Fanfare tries again. If this persists, check the network and its app.`,
    };
  }
  if (is_refreshed || expiresInMs === null || expiresInMs > expiryWarningsMs.first)
    return undefined;
  const at = toTimestamp(expiresAt!);
  if (expiresInMs > 0) {
    return {
      status: 'warning',
      code: 'token_expiring',
      message: `The login ends at ${at} and can't be refreshed. ${connectAgain}`,
    };
  }
  return {
    status: 'error',
    code: 'token_expired',
    message: `The login ended at ${at} and can't be refreshed. ${connectAgain}`,
  };
}
