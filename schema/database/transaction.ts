// Transactions and single statements whose notifications go out after the commit.
import type { KyselyPlugin } from 'kysely';
import type { Channel, Notifier } from './notifier.ts';
import type { Db, Transaction, Writer } from './tables.ts';

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

/** For one statement outside a transaction, which commits by itself. A failure sends no notification. */
export function autoCommit(db: Db, notifier: Pick<Notifier, 'notify'>): Writer {
  const { promise: commit, resolve: endCommit } = Promise.withResolvers<void>();
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult({ result }) {
      endCommit();
      return Promise.resolve(result);
    },
  };
  return {
    getExecutor: () => db.getExecutor().withPlugin(plugin),
    notifyAfterCommit: (channel) => void commit.then(() => notifier.notify(channel)),
  };
}
