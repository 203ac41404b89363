// The activity of `pruneRecords`: deletes what has been kept long enough, batch after batch for a while.
import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { Config } from '../../schema/config/config.ts';
import { deleteChanges } from '../../schema/database/live/changes.ts';
import type { Db } from '../../schema/database/tables.ts';
import {
  deleteAged,
  deleteConnectSessions,
  deleteEndedKeys,
  deleteEvents,
  deleteFreeLimits,
  deletePosts,
  deleteReplays,
  deleteUsage,
  deleteWebhooks,
} from '../../schema/database/dispatch/pruning.ts';
import { fixedLimits } from '../../schema/limits.ts';
import type { PruneRecordsInput } from '../../schema/workflows.ts';
import { withHeartbeat } from '../with-heartbeat.ts';

export interface PruningDependencies {
  db: Db;
  config: Pick<Config, 'retention'>;
  log: Logger;
  /** Milliseconds since the epoch, by the database's clock. */
  now: () => number;
}

/** Null: nothing is left to prune. */
export type PruneProgress = PruneRecordsInput | null;

/** Short, since a worker that stops waits for it. */
const runForMs = 5_000;
const rowsAtOnce = 5_000;
/** A limit that has ended holds nothing back; a day keeps those in daily use from being written anew. */
const freeLimitsMs = 86_400_000;
/** Their attempts go with them, so a step deletes fewer. */
const postsAtOnce = 500;
const sandboxMs = 7 * 86_400_000;
const idempotencyKeysMs = fixedLimits.idempotencyHours * 3_600_000;

export function createPruning({ db, config, log, now }: PruningDependencies) {
  async function prune({ after }: PruneRecordsInput): Promise<PruneProgress> {
    const startedAtMs = now();
    const isOver = () => now() - startedAtMs > runForMs || cancellationSignal().aborted;
    const ago = (ms: number) => new Date(startedAtMs - ms);
    const { recordsMs, postsMs, feedMs } = config.retention;
    const pruned: Record<string, number> = {};
    const count = (name: string, rows: number) => (pruned[name] = (pruned[name] ?? 0) + rows);

    const steps: Record<string, (limit: number) => Promise<number>> = {
      changes: (limit) => deleteChanges(db, ago(feedMs), limit),
      idempotencyKeys: (limit) => deleteAged(db, 'idempotency_keys', ago(idempotencyKeysMs), limit),
      connectSessions: (limit) => deleteConnectSessions(db, ago(recordsMs), limit),
      replays: (limit) => deleteReplays(db, ago(recordsMs), limit),
      webhooks: (limit) => deleteWebhooks(db, ago(recordsMs), limit),
      apiKeys: (limit) => deleteEndedKeys(db, ago(recordsMs), limit),
      posts: (limit) => deletePosts(db, ago(postsMs), limit),
      usage: (limit) => deleteUsage(db, ago(postsMs), limit),
      activityFailures: (limit) => deleteAged(db, 'activity_failures', ago(recordsMs), limit),
      sandboxPosts: (limit) => deleteAged(db, 'sandbox_posts', ago(sandboxMs), limit),
      sandboxRefusals: (limit) => deleteAged(db, 'sandbox_refusals', ago(sandboxMs), limit),
      sandboxGrants: (limit) => deleteAged(db, 'sandbox_grants', ago(sandboxMs), limit),
      rateLimits: (limit) => deleteFreeLimits(db, ago(freeLimitsMs), limit),
    };
    let isLeft = false;
    for (const [name, step] of Object.entries(steps)) {
      const atOnce = name === 'posts' ? postsAtOnce : rowsAtOnce;
      let rows: number;
      do {
        rows = await step(atOnce);
        count(name, rows);
      } while (rows === atOnce && !isOver());
      isLeft ||= rows === atOnce;
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
