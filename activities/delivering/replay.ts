// The activity of `replayDeliveries`: reopens what a replay matches, batch by batch, and concludes it.
import type { ChangeKind } from '../../schema/change-kinds.ts';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { insertChanges } from '../../schema/database/live/changes.ts';
import type { Db, ReplayRow, Transaction } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/live/notifier.ts';
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

export interface ReplayingDependencies {
  db: Db;
  notifier: Notifier;
}

/** `reopening`: there is more to reopen. `reopened`: the last ones have not concluded yet. */
export type ReplayState = 'reopening' | 'reopened' | 'concluded';

const batchSize = 200;
/** Reopened deliveries are older than fresh ones, so they are claimed first: few may wait at a time. */
const maxUnattempted = 1_000;
/** The activity then gives account, long before it times out. */
const workMs = 5_000;

export function createReplaying({ db, notifier }: ReplayingDependencies) {
  return {
    /** Every step is a transaction that also says how far it came, so a repeat goes on from there. */
    async advanceReplay({ replayId }: ReplayDeliveriesInput): Promise<ReplayState> {
      const endMs = performance.now() + workMs;
      for (;;) {
        const step = await db.transaction().execute((trx) => advance(trx, replayId));
        notifier.notify('fanfare_changes');
        if (step === 'batch') notifier.notify('fanfare_deliveries');
        else return step;
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
  await setReplay(trx, replayId, {
    reopened,
    matched: Math.max(replay.matched, reopened),
    position: window.next,
  });
  if (count > 0) await tell(trx, replay, 'progressed');
  return 'batch';
}

const reopen = { deliveries: reopenDeliveries, events: insertMissingDeliveries };

/** All wait in their retry schedules. */
async function watch(trx: Transaction, replay: ReplayRow): Promise<ReplayState> {
  const { pending, ...counts } = await countOutcomes(trx, replay.id);
  if (pending === 0) return conclude(trx, replay, 'completed');
  const { delivered, failed, skipped, canceled } = replay;
  if (!isDeepStrictEqual(counts, { delivered, failed, skipped, canceled })) {
    await setReplay(trx, replay.id, counts);
    await tell(trx, replay, 'progressed');
  }
  return 'reopened';
}

async function conclude(
  trx: Transaction,
  replay: ReplayRow,
  status: 'completed' | 'canceled',
): Promise<ReplayState> {
  const { pending, ...counts } = await countOutcomes(trx, replay.id);
  // The deliveries of a deleted webhook that its deletion did not catch are canceled by their batch.
  if (pending > 0) return 'reopened';
  await setReplay(trx, replay.id, {
    ...counts,
    status,
    position: null,
    concluded_at: sql<Date>`now()`,
  });
  await tell(trx, replay, status);
  return 'concluded';
}

function tell(
  trx: Transaction,
  { id, project_id }: ReplayRow,
  kind: ChangeKind<'replay'>,
): Promise<void> {
  return insertChanges(trx, [{ project_id, subject: 'replay', subject_id: id, kind }]);
}
