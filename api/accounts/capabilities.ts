// Reads what an account accepts: the rules of its network, or rules of its own.
import { listAccountsById, getAccountRow } from '../../schema/database/accounts/accounts.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { SocialAccountRow } from '../../schema/database/tables.ts';
import type { Capabilities, GetCapabilities } from '../../schema/platforms/capabilities.ts';
import { readUrl } from '../../activities/platforms/platform-answer.ts';
import type { Creator } from '../../activities/platforms/platform.ts';
import type { Caller, Context } from '../http/context.ts';
import { requirePlatform } from '../platforms/absence.ts';
import { presentCapabilities } from '../platforms/operations.ts';
import { askCreator } from './creator.ts';

/** `refresh`: asks the network first, if it says who would publish. */
export async function getAccountCapabilities(
  context: Context,
  caller: Caller,
  accountId: string,
  { refresh }: GetCapabilities,
): Promise<Capabilities> {
  const row = await getAccountRow(context.db, caller, accountId);
  const platform = requirePlatform(context.platforms, row.platform);
  if (!refresh || !platform.creator) return presentCapabilities(platform, row);
  const { traits = {}, ...creator } = await askCreator(context, platform, row);
  const known = { ...row.traits, ...traits };
  const { scope } = row;
  return {
    ...presentCapabilities(platform, { traits: known, scope }),
    creator: presentCreator(creator),
  };
}

const presentCreator = ({ name, username, avatarUrl, reason }: Creator) => ({
  name,
  username,
  avatar_url: avatarUrl && readUrl(avatarUrl),
  can_post: reason === null,
  reason,
});

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
