// Operations on queues: create, read, change, delete.
import {
  deleteQueueRow,
  getQueueRow,
  insertQueue,
  listQueueRows,
  listQueuesById,
  lockQueue,
  setQueue,
} from '../../schema/database/queues/queues.ts';
import { listAccountsById } from '../../schema/database/accounts/accounts.ts';
import { environmentOfTargets } from '../../schema/database/posts/new-rows.ts';
import type { QueueRow, Transaction } from '../../schema/database/tables.ts';
import {
  Queue,
  Weekday,
  type CheckedQueue,
  type CreateQueue,
  type ListQueues,
  type UpdateQueue,
  type WeeklySlot,
} from '../../schema/queues.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { validationError, type Issue } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Page } from '../../schema/wire/listing.ts';
import { present } from '../../schema/wire/present.ts';
import type { Caller, Context } from '../http/context.ts';
import { byIds, page } from '../http/listing.ts';
import { transact, type Answer } from '../http/transact.ts';
import { checkAccess, unknownAccount } from '../posts/checks/account-access.ts';
import { warnOfQueue } from '../posts/queues/warnings.ts';

export function createQueue(
  context: Context,
  caller: Caller,
  { account_ids, slots, ...input }: CreateQueue,
): Promise<Answer<CheckedQueue>> {
  return transact(context, caller, async ({ trx, audit }) => {
    const accounts = await checkAccounts(context, trx, caller, account_ids);
    const row = await insertQueue(trx, {
      id: newId('queue'),
      project_id: caller.projectId,
      ...input,
      ...accounts,
      slots: JSON.stringify(toPlan(slots)),
    });
    audit({ subject: 'queue', subject_id: row.id, kind: 'created' });
    return { status: 201, data: await withWarnings(trx, caller, row) };
  });
}

export async function getQueue({ db }: Context, caller: Caller, id: string): Promise<Queue> {
  return presentQueue(await getQueueRow(db, caller, id));
}

export function listQueues(
  { db }: Context,
  caller: Caller,
  paging: ListQueues,
): Promise<Page<Queue>> {
  return page(
    'queue',
    paging,
    (slice) => listQueueRows(db, caller, slice),
    (rows) => rows.map(presentQueue),
  );
}

export const findQueues = byIds(listQueuesById, presentQueue);

/** Posts that have a slot keep it, and their targets. */
export function updateQueue(
  context: Context,
  caller: Caller,
  id: string,
  { account_ids, slots, ...changes }: UpdateQueue,
): Promise<Answer<CheckedQueue>> {
  return transact(context, caller, async ({ trx, audit }) => {
    const stored = await lockQueue(trx, caller, id);
    const accounts = account_ids && (await checkAccounts(context, trx, caller, account_ids));
    const row = await setQueue(trx, caller.projectId, id, {
      ...changes,
      ...accounts,
      // Posts to the accounts that it had may have slots.
      ...(stored.environment === 'production' && { environment: 'production' }),
      ...(slots && { slots: JSON.stringify(toPlan(slots)) }),
    });
    audit({ subject: 'queue', subject_id: id, kind: 'updated' });
    return { status: 200, data: await withWarnings(trx, caller, row) };
  });
}

/** Scheduled posts of the queue keep their times. */
export function deleteQueue(context: Context, caller: Caller, id: string): Promise<Answer<null>> {
  return transact(context, caller, async ({ trx, audit }) => {
    await lockQueue(trx, caller, id);
    await deleteQueueRow(trx, caller.projectId, id);
    audit({ subject: 'queue', subject_id: id, kind: 'deleted' });
    return { status: 204, data: null };
  });
}

function presentQueue(row: QueueRow): Queue {
  return present(Queue, row);
}

async function withWarnings(
  trx: Transaction,
  caller: Caller,
  row: QueueRow,
): Promise<CheckedQueue> {
  const found = await warnOfQueue(trx, caller, row);
  return { ...presentQueue(row), warnings: found.map((issue) => ({ path: 'slots', ...issue })) };
}

/** The columns of these accounts. Throws if one is unknown, or has lost its access. */
async function checkAccounts(
  { config: { maxTargets } }: Context,
  trx: Transaction,
  caller: Caller,
  given: readonly string[],
): Promise<Pick<QueueRow, 'account_ids' | 'environment'>> {
  const ids = [...new Set(given)];
  if (ids.length > maxTargets) {
    const message = `must have at most ${countOf(maxTargets, 'item')}`;
    const [actual, limit] = [ids.length, maxTargets];
    throw validationError([{ path: ['account_ids'], code: 'too_big', message, actual, limit }]);
  }
  const rows = await listAccountsById(trx, caller, ids);
  const found = new Map(rows.map((row) => [row.id, row]));
  const issues = given.flatMap((id, index): Issue[] => {
    const path = ['account_ids', index];
    const account = found.get(id);
    const issue = account ? checkAccess(account) : unknownAccount;
    return issue ? [{ path, ...issue }] : [];
  });
  if (issues.length > 0) throw validationError(issues);
  return { account_ids: ids, environment: environmentOfTargets(rows) };
}

/** Each slot once, from Monday on. */
function toPlan(given: readonly WeeklySlot[]): WeeklySlot[] {
  const keyOf = ({ weekday, time }: WeeklySlot) => `${Weekday.options.indexOf(weekday)} ${time}`;
  const byKey = new Map(given.map((slot) => [keyOf(slot), slot]));
  return [...byKey.keys()].toSorted().map((key) => byKey.get(key)!);
}
