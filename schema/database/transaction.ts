// Transactions and single statements whose notifications go out after the commit.
import type { Channel, Notifier } from './notifier.ts';
import type { Db, Transaction, Writer } from './tables.ts';

/**
 * Functions that insert outbox rows, deliveries or changes call `trx.notifyAfterCommit` themselves, so
 * their callers can't forget it. A rollback sends no notification.
 */
export function inTransaction<T>(
  db: Db,
  notifier: Notifier,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  return thenNotify(notifier, (notifyAfterCommit) =>
    db.transaction().execute((trx) => work(Object.assign(trx, { notifyAfterCommit }))),
  );
}

/**
 * Runs one statement outside a transaction. The statement commits by itself. A failure sends no notification.
 */
export function inStatement<T>(
  db: Db,
  notifier: Pick<Notifier, 'notify'>,
  run: (writer: Writer) => Promise<T>,
): Promise<T> {
  return thenNotify(notifier, (notifyAfterCommit) =>
    run({ getExecutor: () => db.getExecutor(), notifyAfterCommit }),
  );
}

async function thenNotify<T>(
  notifier: Pick<Notifier, 'notify'>,
  work: (notifyAfterCommit: Writer['notifyAfterCommit']) => Promise<T>,
): Promise<T> {
  const channels = new Set<Channel>();
  const result = await work((channel) => void channels.add(channel));
  channels.forEach((channel) => notifier.notify(channel));
  return result;
}
