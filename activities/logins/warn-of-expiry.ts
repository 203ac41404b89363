// The activity of `refreshLogins` that warns of logins which end soon and can't be refreshed.
import { claimExpiryWarnings } from '../../schema/database/accounts/grants.ts';
import { recordAccountEvent } from '../../schema/database/events/account-events.ts';
import { insertAccountChanges } from '../../schema/database/live/changes.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { LoginDependencies } from './dependencies.ts';

/** A small number, because a login may have many accounts, and each account gets its own event. */
const groupSize = 50;

/** Warns of one group of logins. Returns whether more logins may be due. */
export function warnOfExpiry({
  db,
  notifier,
  previewEvents,
}: Pick<LoginDependencies, 'db' | 'notifier' | 'previewEvents'>): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const { warnings, isLeft } = await claimExpiryWarnings(trx, groupSize);
    for (const { account, endsAt } of warnings) {
      const details = { token_expires_at: toTimestamp(endsAt) };
      await recordAccountEvent(trx, account, 'account.expiring', { previewEvents }, details);
    }
    const accounts = warnings.map(({ account }) => account);
    await insertAccountChanges(trx, accounts, 'expiring');
    return isLeft;
  });
}
