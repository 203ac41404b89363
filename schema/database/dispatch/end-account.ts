// Disconnects an account.
import { sql } from 'kysely';
import type { DisconnectReason } from '../../accounts.ts';
import { updateAccount } from '../accounts/accounts.ts';
import { deleteChoiceLists } from '../accounts/choices.ts';
import { deleteEmptyGrant } from '../accounts/grants.ts';
import { inMs } from '../database-clock.ts';
import { recordAccountEvent } from '../events/account-events.ts';
import type { GrantRow, SocialAccountRow, Transaction } from '../tables.ts';

export interface EndOptions {
  retention: { disconnectedMs: number };
  previewEvents: boolean;
}

/** The caller has locked the account. Returns the account's grant if the grant has no account left. */
export async function endAccount(
  trx: Transaction,
  { id, project_id: projectId, grant_id: grantId }: SocialAccountRow,
  { retention, previewEvents }: EndOptions,
  reason: DisconnectReason,
): Promise<GrantRow | undefined> {
  const account = await updateAccount(trx, projectId, id, {
    status: 'disconnected',
    grant_id: null,
    disconnected_at: new Date(),
    // The account may be due for erasure already.
    erase_at: sql<Date>`least(erase_at, ${inMs(retention.disconnectedMs)})`,
  });
  await deleteChoiceLists(trx, [id]);
  const left = grantId === null ? undefined : await deleteEmptyGrant(trx, projectId, grantId);
  await recordAccountEvent(trx, account, 'account.disconnected', { previewEvents }, { reason });
  return left;
}
