// The activity of `refreshLogins` that warns of logins which end soon and can't be refreshed.
import { takeExpiryWarnings } from '../../schema/database/accounts/grants.ts';
import { insertAccountChanges } from '../../schema/database/live/changes.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { LoginDependencies } from './dependencies.ts';

const groupSize = 500;

/** Warns of one group. Returns whether more may be due. */
export function warnOfExpiry({
  db,
  notifier,
}: Pick<LoginDependencies, 'db' | 'notifier'>): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const { grants, accounts } = await takeExpiryWarnings(trx, groupSize);
    await insertAccountChanges(trx, accounts, 'expiring');
    return grants === groupSize;
  });
}
