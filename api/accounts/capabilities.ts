// Reads what an account accepts: the rules of its network, or rules of its own.
import { listAccountsById, getAccountRow } from '../../schema/database/accounts/accounts.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { SocialAccountRow } from '../../schema/database/tables.ts';
import type { Capabilities } from '../../schema/platforms/capabilities.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Caller, Context } from '../http/context.ts';
import { presentCapabilities } from '../platforms/operations.ts';

export async function getAccountCapabilities(
  context: Context,
  caller: Caller,
  accountId: string,
): Promise<Capabilities> {
  const row = await getAccountRow(context.db, caller, accountId);
  const capabilities = capabilitiesOf(context, row);
  if (capabilities) return capabilities;
  throw new AppError('conflict', `This installation does not publish to ${row.platform}.`);
}

/** Capabilities by account ID. Leaves out accounts whose network is no longer configured. */
export async function findCapabilities(
  context: Context,
  scope: RowScope,
  accountIds: string[],
): Promise<Map<string, Capabilities>> {
  const rows = await listAccountsById(context.db, scope, accountIds);
  return new Map(
    rows.flatMap((row) => {
      const capabilities = capabilitiesOf(context, row);
      return capabilities ? [[row.id, capabilities]] : [];
    }),
  );
}

function capabilitiesOf(
  { platforms }: Context,
  account: Pick<SocialAccountRow, 'platform' | 'traits' | 'scope'>,
): Capabilities | undefined {
  const platform = platforms.get(account.platform);
  return platform && presentCapabilities(platform, account);
}
