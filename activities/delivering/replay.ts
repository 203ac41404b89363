// The activity of `replayDeliveries`: reopens the matches of a replay in batches, then concludes it.
import type { ChangeKind } from '../../schema/change-kinds.ts';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { insertChanges } from '../../schema/database/live/changes.ts';
import type { ReplayRow, Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import {
  insertMissingDeliveries,
  reopenDeliveries,
} from '../../schema/database/webhooks/reopen-deliveries.ts';
import { readWindow } from '../../schema/database/webhooks/replay-matches.ts';
import {
  countOutcomes,
  countUnattempted,
  lockRunningReplay,
  setReplay,
} from '../../schema/database/webhooks/replays.ts';
import type { ReplayDeliveriesInput } from '../../schema/workflows.ts';
import type { BatchDependencies } from './deliver-batch.ts';

/**
 * `reopening`: there is more to reopen. `reopened`: all matches are reopened, but some of them have not
 * concluded.
 */
export type ReplayState = 'reopening' | 'reopened' | 'concluded';

const batchSize = 200;
/**
 * Limits the reopened deliveries that wait for an attempt. The relay claims them before new deliveries,
 * because they are older.
 */
const maxUnattempted = 1_000;
/** The activity returns after this time, long before its timeout. */
const workMs = 5_000;

export function createReplaying({ db, notifier }: Pick<BatchDependencies, 'db' | 'notifier'>) {
  return {
    /** Each step is a transaction that records its progress, so a repeat continues from there. */
    async advanceReplay({ replayId }: ReplayDeliveriesInput): Promise<ReplayState> {
      const endMs = performance.now() + workMs;
      for (;;) {
        const step = await inTransaction(db, notifier, (trx) => advance(trx, replayId));
        if (step !== 'batch') return step;
        if (performance.now() > endMs) return 'reopening';
      }
    },
  };
}

async function advance(trx: Transaction, replayId: string): Promise<ReplayState | 'batch'> {
  const replay = await lockRunningReplay(trx, replayId);
  if (!replay) return 'concluded';
  const { events, deleted_at } = await trx
    .selectFrom('webhook_subscriptions')
    .select(['events', 'deleted_at'])
    .where('id', '=', replay.webhook_id)
    .executeTakeFirstOrThrow();
  if (deleted_at) return conclude(trx, replay, 'canceled');
  if (replay.position === null) return watch(trx, replay);
  const waiting = await countUnattempted(trx, replayId, maxUnattempted);
  if (waiting >= maxUnattempted) return 'reopening';
  const window = await readWindow(trx, { ...replay, events }, replay.position, batchSize);
  const count = await reopen[window.kind](trx, replay, window.ids);
  const reopened = replay.reopened + count;
  await setReplay(trx, replay.project_id, replayId, {
    reopened,
    matched: Math.max(replay.matched, reopened),
    position: window.next,
  });
  if (count > 0) await recordChange(trx, replay, 'progressed');
  return 'batch';
}

const reopen = { deliveries: reopenDeliveries, events: insertMissingDeliveries };

/** All matches have been reopened. Counts their outcomes until every reopened delivery has concluded. */
async function watch(trx: Transaction, replay: ReplayRow): Promise<ReplayState> {
  const { pending, ...counts } = await countOutcomes(trx, replay.project_id, replay.id);
  if (pending === 0) return conclude(trx, replay, 'completed');
  const { delivered, failed, skipped, canceled } = replay;
  if (!isDeepStrictEqual(counts, { delivered, failed, skipped, canceled })) {
    await setReplay(trx, replay.project_id, replay.id, counts);
    await recordChange(trx, replay, 'progressed');
  }
  return 'reopened';
}

async function conclude(
  trx: Transaction,
  replay: ReplayRow,
  status: 'completed' | 'canceled',
): Promise<ReplayState> {
  const { pending, ...counts } = await countOutcomes(trx, replay.project_id, replay.id);
  // Some deliveries of a deleted webhook may still be open. Their batch cancels them.
  if (pending > 0) return 'reopened';
  await setReplay(trx, replay.project_id, replay.id, {
    ...counts,
    status,
    position: null,
    concluded_at: sql<Date>`now()`,
  });
  await recordChange(trx, replay, status);
  return 'concluded';
}

function recordChange(
  trx: Transaction,
  { id, project_id }: ReplayRow,
  kind: ChangeKind<'replay'>,
): Promise<void> {
  return insertChanges(trx, [{ project_id, subject: 'replay', subject_id: id, kind }]);
}
