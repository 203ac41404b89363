// Transactions whose notifications go out after the commit.
import type { Channel, Notifier } from './notifier.ts';
import type { Db, Transaction } from './tables.ts';

/**
 * Functions that insert outbox rows, deliveries or changes call `trx.notifyAfterCommit` themselves, so
 * their callers can't forget it. A rollback sends no notification.
 */
export async function inTransaction<T>(
  db: Db,
  notifier: Notifier,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  const channels = new Set<Channel>();
  const notifyAfterCommit = (channel: Channel) => void channels.add(channel);
  const result = await db
    .transaction()
    .execute((trx) => work(Object.assign(trx, { notifyAfterCommit })));
  channels.forEach((channel) => notifier.notify(channel));
  return result;
}
