// Revokes logins at their network after their grants were deleted.
import { fetchFor } from '../../activities/egress/guarded-fetch.ts';
import type { Credentials, Grant, Platform } from '../../activities/platforms/platform.ts';
import { findApp } from '../../schema/database/accounts/apps.ts';
import { listGrantsOfAccounts, openCredentials } from '../../schema/database/accounts/grants.ts';
import type { GrantRow } from '../../schema/database/tables.ts';
import type { Context } from '../http/context.ts';
import { isSecretField } from './connect-at-network.ts';

const revokeTimeoutMs = 5_000;

/**
 * Call it after the commit that deleted the grants. If a call fails, the network keeps a token that nobody
 * has. `replacement`: credentials that stay in use. If they have the same secret, such as an application
 * password that was entered again, nothing is revoked.
 */
export async function revokeLogins(
  context: Context,
  grants: readonly GrantRow[],
  replacement?: Credentials,
): Promise<void> {
  for (const grant of grants) await revokeLogin(context, grant, replacement);
}

async function revokeLogin(
  context: Context,
  grant: GrantRow,
  replacement: Credentials = {},
): Promise<void> {
  const platform = context.platforms.get(grant.platform);
  if (!platform?.revoke) return;
  try {
    const credentials = openCredentials(context.vault, grant);
    if (!credentials || shareSecret(credentials, replacement)) return;
    const login = { credentials, appId: grant.app_id };
    await revokeAtNetwork(context, grant.project_id, platform, login);
  } catch (err) {
    context.log.warn({ err, grant_id: grant.id }, 'cannot revoke a login at its network');
  }
}

/** Does nothing at a network without `revoke`. */
async function revokeAtNetwork(
  { db, vault }: Context,
  projectId: string,
  { revoke }: Platform,
  { credentials, appId }: { credentials: Credentials; appId: string | null },
): Promise<void> {
  if (!revoke) return;
  const app = appId === null ? null : ((await findApp(db, projectId, vault, appId)) ?? null);
  const signal = AbortSignal.timeout(revokeTimeoutMs);
  await fetchFor(projectId, () => revoke({ credentials, app }, signal));
}

/**
 * Revokes a login that no grant was written for. A network may give every login of an account the same token.
 * If an account of the project uses this one, nothing is revoked.
 */
export async function revokeUnused(
  context: Context,
  projectId: string,
  platform: Platform,
  { credentials, accounts }: Grant,
  appId: string | null,
): Promise<void> {
  if (!platform.revoke) return;
  const ids = accounts.map(({ externalAccountId }) => externalAccountId);
  const { name } = platform.definition;
  const grants = await listGrantsOfAccounts(context.db, projectId, name, ids);
  const isUsed = grants.some((grant) =>
    shareSecret(openCredentials(context.vault, grant) ?? {}, credentials),
  );
  if (!isUsed) await revokeAtNetwork(context, projectId, platform, { credentials, appId });
}

function shareSecret(one: Credentials, other: Credentials): boolean {
  return Object.entries(one).some(([name, value]) => isSecretField(name) && other[name] === value);
}
