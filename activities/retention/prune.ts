// The activity of `pruneRecords`: deletes records whose retention period has ended, in batches, for a limited time.
import { cancellationSignal } from '@temporalio/activity';
import type { Config } from '../../schema/config/config.ts';
import { endDataDeletions } from '../../schema/database/accounts/data-deletions.ts';
import { deleteChanges } from '../../schema/database/live/changes.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import {
  deleteEnded,
  deleteEvents,
  deleteExpiredFlows,
} from '../../schema/database/dispatch/pruning.ts';
import { fixedLimits } from '../../schema/wire/limits.ts';
import type { ErasurePosition, PruneRecordsInput } from '../../schema/workflows.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { eraseDueAccounts } from './accounts.ts';
import { pruneMedia, type MediaPruningDependencies } from './media.ts';

export interface PruningDependencies extends MediaPruningDependencies {
  config: Pick<Config, 'retention' | 'previewEvents'>;
  /** Milliseconds since the epoch, by the database's clock. */
  now: () => number;
}

/** Null: nothing is left to prune. */
export type PruneProgress = PruneRecordsInput | null;

/** Short, because a stopping worker waits for it. */
const runForMs = 5_000;
const batchSize = 5_000;
const batchSizes: Record<string, number> = {
  /** A smaller batch, because each post's attempts are deleted with it. */
  posts: 500,
  /** A small batch, because each list has up to 2,000 choices. */
  choiceLists: 20,
  /** A small batch, because each file has up to 512 MB. */
  sandboxMedia: 10,
};
/** An ended rate limit has no effect. A day's delay keeps limits in daily use from being written again. */
const freeLimitsMs = 86_400_000;
/** Apps without a login are deleted after this. They can be registered again. */
const unusedAppsMs = 86_400_000;
/** Lists that nobody used are deleted after this. A list in use is fetched again long before. */
const unusedChoicesMs = 86_400_000;
const sandboxMs = 7 * 86_400_000;
const idempotencyKeysMs = fixedLimits.idempotencyHours * 3_600_000;
const firstAccount: ErasurePosition = { accountId: '', resultId: '' };

export function createPruning(dependencies: PruningDependencies) {
  const { db, notifier, config, log, now } = dependencies;

  async function prune({
    after,
    erasure = firstAccount,
  }: PruneRecordsInput): Promise<PruneProgress> {
    const startedAtMs = now();
    const isOver = () => now() - startedAtMs > runForMs || cancellationSignal().aborted;
    const ago = (ms: number) => new Date(startedAtMs - ms);
    const { recordsMs, postsMs, feedMs } = config.retention;
    const pruned: Record<string, number> = {};
    const count = (name: string, rows: number) => (pruned[name] = (pruned[name] ?? 0) + rows);

    const steps: Record<string, (limit: number) => Promise<number>> = {
      changes: (limit) => deleteChanges(db, ago(feedMs), limit),
      idempotencyKeys: (limit) =>
        deleteEnded(db, 'idempotency_keys', ago(idempotencyKeysMs), limit),
      dashboardSessions: (limit) => deleteEnded(db, 'dashboard_sessions', ago(0), limit),
      connectSessions: (limit) => deleteEnded(db, 'connect_sessions', ago(recordsMs), limit),
      reviewLinks: (limit) => deleteEnded(db, 'review_links', ago(recordsMs), limit),
      connectFlows: (limit) => deleteExpiredFlows(db, ago(0), limit),
      dataDeletions: (limit) => deleteEnded(db, 'data_deletions', ago(postsMs), limit),
      revocations: (limit) => deleteEnded(db, 'revocations', ago(0), limit),
      serverApps: (limit) => deleteEnded(db, 'platform_apps', ago(unusedAppsMs), limit),
      choiceLists: (limit) => deleteEnded(db, 'choice_lists', ago(unusedChoicesMs), limit),
      replays: (limit) => deleteEnded(db, 'replays', ago(recordsMs), limit),
      accountChecks: (limit) => deleteEnded(db, 'account_checks', ago(recordsMs), limit),
      webhooks: (limit) => deleteEnded(db, 'webhook_subscriptions', ago(recordsMs), limit),
      apiKeys: (limit) => deleteEnded(db, 'api_keys', ago(recordsMs), limit),
      posts: (limit) => deleteEnded(db, 'posts', ago(postsMs), limit),
      usage: (limit) => deleteEnded(db, 'account_usage', ago(postsMs), limit),
      activityFailures: (limit) => deleteEnded(db, 'activity_failures', ago(recordsMs), limit),
      sandboxPosts: (limit) => deleteEnded(db, 'sandbox_posts', ago(sandboxMs), limit),
      sandboxMedia: (limit) => deleteEnded(db, 'sandbox_media', ago(sandboxMs), limit),
      sandboxRefusals: (limit) => deleteEnded(db, 'sandbox_refusals', ago(sandboxMs), limit),
      sandboxGrants: (limit) => deleteEnded(db, 'sandbox_grants', ago(sandboxMs), limit),
      rateLimits: (limit) => deleteEnded(db, 'rate_limits', ago(freeLimitsMs), limit),
    };
    let isLeft = false;
    for (const [name, step] of Object.entries(steps)) {
      const limit = batchSizes[name] ?? batchSize;
      let rows: number;
      do {
        rows = await step(limit);
        count(name, rows);
      } while (rows === limit && !isOver());
      isLeft ||= rows === limit;
    }
    const { isLeft: isMediaLeft, ...media } = await pruneMedia(dependencies, { ago, isOver });
    Object.assign(pruned, media);
    isLeft ||= isMediaLeft;
    let position: string | null = after;
    do {
      const from: string = position;
      const batch = await inTransaction(db, notifier, (trx) =>
        deleteEvents(trx, ago(recordsMs), from),
      );
      count('events', batch.events);
      count('deliveries', batch.deliveries);
      position = batch.after;
    } while (position !== null && !isOver());
    const { place, ...erased } = await eraseDueAccounts(dependencies, erasure, isOver);
    for (const [name, rows] of Object.entries(erased)) count(name, rows);
    count('endedDataDeletions', await endDataDeletions(db));

    if (Object.values(pruned).some((rows) => rows > 0)) {
      log.info({ component: 'retention', ...pruned }, 'old records were pruned');
    }
    if (position === null && place === null && !isLeft) return null;
    return { after: position ?? after, erasure: place };
  }

  return {
    prune: (input: PruneRecordsInput): Promise<PruneProgress> => withHeartbeat(() => prune(input)),
  };
}
