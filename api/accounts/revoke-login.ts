// Revokes logins at their network: after their grants were deleted, or if no grant was written.
import { asProject } from '../../activities/current-project.ts';
import { sharedSecretsOf } from '../../activities/platforms/credential-fields.ts';
import type { Credentials, Grant, Platform } from '../../activities/platforms/platform.ts';
import { findApp } from '../../schema/database/accounts/apps.ts';
import { listGrantsOfAccounts, openCredentials } from '../../schema/database/accounts/grants.ts';
import { hasLoginAtApp } from '../../schema/database/accounts/network-users.ts';
import { deleteRevocation, insertRevocation } from '../../schema/database/accounts/revocations.ts';
import type { GrantRow } from '../../schema/database/tables.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Context } from '../http/context.ts';

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
  await Promise.all(grants.map((grant) => revokeLogin(context, grant, replacement)));
}

async function revokeLogin(
  context: Context,
  grant: GrantRow,
  replacement: Credentials | undefined,
): Promise<void> {
  const { id, project_id: projectId, app_id: appId } = grant;
  const signal = AbortSignal.timeout(revokeTimeoutMs);
  try {
    const platform = context.platforms.get(grant.platform);
    const credentials = openCredentials(context.vault, grant);
    const secrets = platform ? sharedSecretsOf(platform) : [];
    if (platform && credentials && !shareSecret(secrets, credentials, replacement ?? {})) {
      await revokeAtNetwork(context, projectId, platform, { credentials, appId }, signal);
    }
  } catch (err) {
    context.log.warn(
      { component: 'accounts', err, grant_id: id },
      'cannot revoke a login at its network',
    );
  }
  await endRevocation(context, projectId, id, signal);
}

/** Does nothing at a network without `revoke`, or if the call could end another login, of any project. */
async function revokeAtNetwork(
  { db, vault }: Context,
  projectId: string,
  { revoke, revokesAll }: Platform,
  { credentials, appId }: { credentials: Credentials; appId: string | null },
  signal: AbortSignal,
): Promise<void> {
  if (!revoke) return;
  if (revokesAll) {
    if (appId === null) return;
    if (await hasLoginAtApp(db, appId, revokesAll.userOf(credentials))) return;
  }
  const app = appId === null ? null : ((await findApp(db, projectId, vault, appId)) ?? null);
  await asProject(projectId, () => revoke({ credentials, app }, signal));
}

/**
 * A call without an answer may still arrive at the network, so the row of the revocation stays until it
 * expires.
 */
async function endRevocation(
  { db, log }: Context,
  projectId: string,
  id: string,
  { aborted: hasNoAnswer }: AbortSignal,
): Promise<void> {
  if (hasNoAnswer) return;
  await deleteRevocation(db, projectId, id).catch((err: unknown) =>
    log.warn(
      { component: 'accounts', err, grant_id: id },
      'cannot delete a revocation, which expires soon',
    ),
  );
}

/**
 * Revokes a login that no grant was written for. A network may give every login of an account the same token,
 * so nothing is revoked if an account of the project uses the token of this login.
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
  const signal = AbortSignal.timeout(revokeTimeoutMs);
  const id = newId('grant');
  await insertRevocation(context.db, { id, project_id: projectId, platform: name });
  try {
    const grants = await listGrantsOfAccounts(context.db, projectId, name, ids);
    const secrets = sharedSecretsOf(platform);
    const isUsed = grants.some((grant) =>
      shareSecret(secrets, openCredentials(context.vault, grant) ?? {}, credentials),
    );
    if (isUsed) return;
    await revokeAtNetwork(context, projectId, platform, { credentials, appId }, signal);
  } finally {
    await endRevocation(context, projectId, id, signal);
  }
}

function shareSecret(names: readonly string[], one: Credentials, other: Credentials): boolean {
  return names.some((name) => one[name] !== undefined && one[name] === other[name]);
}
