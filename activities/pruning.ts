// The activity of `pruneRecords`: deletes what has been kept long enough, batch after batch for a while.
import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { Config } from '../schema/config.ts';
import { deleteChanges } from '../schema/database/changes.ts';
import type { Db } from '../schema/database/database.ts';
import {
  deleteConnectSessions,
  deleteEvents,
  deleteIdempotencyKeys,
  deleteReplays,
} from '../schema/database/pruning.ts';
import { fixedLimits } from '../schema/limits.ts';
import type { PruneRecordsInput } from '../schema/workflows.ts';
import { withHeartbeat } from './with-heartbeat.ts';

export interface PruningDependencies {
  db: Db;
  config: Pick<Config, 'retention'>;
  log: Logger;
}

/** Null: nothing is left to prune. */
export type PruneProgress = PruneRecordsInput | null;

/** Short, since a worker that stops waits for it. */
const runForMs = 5_000;
const rowsAtOnce = 5_000;
const idempotencyKeysMs = fixedLimits.idempotencyHours * 3_600_000;

export function createPruning({ db, config, log }: PruningDependencies) {
  async function prune({ after }: PruneRecordsInput): Promise<PruneProgress> {
    const startedAtMs = Date.now();
    const isOver = () => Date.now() - startedAtMs > runForMs || cancellationSignal().aborted;
    const ago = (ms: number) => new Date(startedAtMs - ms);
    const { recordsMs, feedMs } = config.retention;
    const pruned: Record<string, number> = {};
    const count = (name: string, rows: number) => (pruned[name] = (pruned[name] ?? 0) + rows);

    const steps: Record<string, () => Promise<number>> = {
      changes: () => deleteChanges(db, ago(feedMs), rowsAtOnce),
      idempotencyKeys: () => deleteIdempotencyKeys(db, ago(idempotencyKeysMs), rowsAtOnce),
      connectSessions: () => deleteConnectSessions(db, ago(recordsMs), rowsAtOnce),
      replays: () => deleteReplays(db, ago(recordsMs), rowsAtOnce),
    };
    let isLeft = false;
    for (const [name, step] of Object.entries(steps)) {
      let rows: number;
      do {
        rows = await step();
        count(name, rows);
      } while (rows === rowsAtOnce && !isOver());
      isLeft ||= rows === rowsAtOnce;
    }
    let position: string | null = after;
    do {
      const batch = await deleteEvents(db, ago(recordsMs), position);
      count('events', batch.events);
      count('deliveries', batch.deliveries);
      position = batch.after;
    } while (position !== null && !isOver());

    if (Object.values(pruned).some((rows) => rows > 0))
      log.info(pruned, 'Old records were pruned.');
    return position === null && !isLeft ? null : { after: position ?? after };
  }

  return {
    prune: (input: PruneRecordsInput): Promise<PruneProgress> => withHeartbeat(() => prune(input)),
  };
}
