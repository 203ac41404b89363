// Erases the remaining records of disconnected accounts in batches, one account after the other.
import type { EndOptions } from '../../schema/database/dispatch/end-account.ts';
import {
  eraseBatch,
  findAccountToErase,
  type ErasedBatch,
} from '../../schema/database/dispatch/erasure.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { ErasurePosition } from '../../schema/workflows.ts';
import type { MediaPruningDependencies } from './media.ts';

type ErasingDependencies = Pick<MediaPruningDependencies, 'db' | 'notifier' | 'log'> & {
  config: EndOptions;
};

/**
 * Erases at least one batch, so that every run makes progress. `place`: where the next run begins; null: the
 * last account has been checked.
 */
export async function eraseDueAccounts(
  dependencies: ErasingDependencies,
  from: ErasurePosition | null,
  isOver: () => boolean,
) {
  const erased = { erasedResults: 0, events: 0, deliveries: 0 };
  let place = from;
  while (place) {
    const accountId = await findAccountToErase(dependencies.db, place);
    if (accountId === undefined) return { place: null, ...erased };
    const resultId = accountId === place.accountId ? (place.resultId ?? '') : '';
    const batch = await tryBatch(dependencies, accountId, resultId);
    erased.erasedResults += batch?.results ?? 0;
    erased.events += batch?.events ?? 0;
    erased.deliveries += batch?.deliveries ?? 0;
    place = { accountId, resultId: batch?.resultId ?? null };
    if (isOver()) break;
  }
  return { place, ...erased };
}

/** Undefined: the erasure failed. The next pass tries the account again; this pass continues with other accounts. */
async function tryBatch(
  { db, notifier, log, config }: ErasingDependencies,
  accountId: string,
  resultId: string,
): Promise<ErasedBatch | undefined> {
  try {
    return await inTransaction(db, notifier, (trx) => eraseBatch(trx, accountId, resultId, config));
  } catch (err) {
    const fields = { component: 'retention', err, social_account_id: accountId };
    log.warn(fields, 'an account could not be erased');
    return undefined;
  }
}
