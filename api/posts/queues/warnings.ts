// Warnings about a slot: the clock changes then, or another queue has a slot for the same account then.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listQueuesOfAccounts } from '../../../schema/database/queues/queues.ts';
import type { RowScope } from '../../../schema/database/row-scope.ts';
import type { Db, QueueRow } from '../../../schema/database/tables.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import { toTimestamp } from '../../../schema/wire/timestamp.ts';
import { warning, type TargetIssue } from '../checks/target-issues.ts';
import { slotsBetween, type PlannedSlot } from './plan.ts';

export async function warnOfSlot(
  db: Db,
  scope: RowScope,
  queue: QueueRow,
  slot: PlannedSlot,
  accountIds: readonly string[],
): Promise<TargetIssue[]> {
  const { at, local, adjusted } = slot;
  const path = ['queue_id'];
  const issues: Issue[] = [];
  if (adjusted !== 'none') {
    const message =
      adjusted === 'gap'
        ? `The clocks in ${queue.timezone} skip the time of the slot on that day, so the post is published at ${local}.`
        : `The clocks in ${queue.timezone} show ${local} twice, and the post is published at the first time.`;
    issues.push({ path, code: 'time_adjusted', message, actual: toTimestamp(at) });
  }
  const period = { from: at, to: new Date(at.getTime() + 1) };
  const others = await findCoinciding(db, scope, queue.id, accountIds, period);
  for (const { queue: other, sharedAt } of others) {
    issues.push({ path, ...coincidence(other, sharedAt) });
  }
  return issues.map((issue) => warning(issue));
}

/** Other queues of any of these accounts that have a slot at the time of one of the queue's slots. */
async function findCoinciding(
  db: Db,
  scope: RowScope,
  except: string,
  accountIds: readonly string[],
  { from, to, times = new Set([from.getTime()]) }: { from: Date; to: Date; times?: Set<number> },
): Promise<{ queue: QueueRow; sharedAt: Date }[]> {
  const others = await listQueuesOfAccounts(db, scope, { accountIds, except });
  const found: { queue: QueueRow; sharedAt: Date }[] = [];
  for (const queue of others) {
    // Other requests run in between, because 100 queues have thousands of slots.
    await nextTurn();
    const shared = slotsBetween(queue, from, to).find(({ at }) => times.has(at.getTime()));
    if (shared) found.push({ queue, sharedAt: shared.at });
  }
  return found;
}

function coincidence({ id, name }: QueueRow, at: Date) {
  const message = `The queue ${name} (${id}) has a slot at ${toTimestamp(at)} too, for the same account.`;
  return { code: 'queues_coincide', message };
}

const weekMs = 7 * 24 * 3_600_000;

/** Compares the slots of the next seven days. */
export async function warnOfQueue(
  db: Db,
  scope: RowScope,
  queue: QueueRow,
): Promise<{ code: string; message: string; queue_id: string }[]> {
  const from = new Date();
  const to = new Date(from.getTime() + weekMs);
  const times = new Set([...slotsBetween(queue, from, to)].map(({ at }) => at.getTime()));
  const period = { from, to, times };
  const others = await findCoinciding(db, scope, queue.id, queue.account_ids, period);
  return others.map(({ queue: other, sharedAt }) => ({
    ...coincidence(other, sharedAt),
    queue_id: other.id,
  }));
}
