// Transactions of tests, whose notifications nothing listens to.
import type { Notifier } from '../../../schema/database/notifier.ts';
import type { Db, Transaction } from '../../../schema/database/tables.ts';
import { inTransaction } from '../../../schema/database/transaction.ts';

export const quietNotifier: Notifier = {
  notify: () => undefined,
  close: () => Promise.resolve(),
};

export function inQuietTransaction<T>(db: Db, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(db, quietNotifier, work);
}
