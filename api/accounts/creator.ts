// Asks a network who would publish for an account, and keeps what it says of the account.
import { isDeepStrictEqual } from 'node:util';
import { callForAccount } from '../../activities/logins/call-for-account.ts';
import type { Creator, Platform } from '../../activities/platforms/platform.ts';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import {
  lockAccountBesideResults,
  updateAccount,
} from '../../schema/database/accounts/accounts.ts';
import { insertAccountChanges } from '../../schema/database/live/changes.ts';
import type { SocialAccountRow } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { Traits } from '../../schema/platforms/definition.ts';
import type { Context } from '../http/context.ts';
import { askNetwork, toConflict } from './connect-at-network.ts';
import { lostAccount } from './lost-account.ts';

const awayHint =
  'Try again after `Retry-After`, or read the capabilities without `refresh`. If the error persists, check that the network is up and that Fanfare can reach it.';

/** Requests for the same account at the same time share one call. */
export async function askCreator(
  context: Context,
  platform: Platform,
  account: SocialAccountRow,
): Promise<Creator> {
  const { id, status, project_id: projectId } = account;
  if (status !== 'active') throw lostAccount(status);
  return context.shareCall(`creator/${id}`, async () => {
    const dependencies = { ...context, previewEvents: context.config.previewEvents };
    const ask = (signal: AbortSignal) =>
      callForAccount(dependencies, platform, id, (access) =>
        platform.creator!(access, signal),
      ).catch((error: unknown) => {
        const isEnded = error instanceof PlatformError && error.kind === 'reauthorize';
        throw isEnded ? lostAccount('reconnect_required') : error;
      });
    const creator = await askNetwork(projectId, ask, toConflict, awayHint);
    if (creator.traits) await keepTraits(context, account, creator.traits);
    return creator;
  });
}

/** Does nothing if the account has another login by now, or none. */
async function keepTraits(
  { db, notifier }: Context,
  { id, project_id: projectId, grant_id: grantId }: SocialAccountRow,
  traits: Traits,
): Promise<void> {
  await inTransaction(db, notifier, async (trx) => {
    const row = await lockAccountBesideResults(trx, projectId, id);
    const known = { ...row.traits, ...traits };
    if (row.grant_id !== grantId || isDeepStrictEqual(known, row.traits)) return;
    await updateAccount(trx, projectId, id, { traits: JSON.stringify(known) });
    await insertAccountChanges(trx, [row], 'updated');
  });
}
