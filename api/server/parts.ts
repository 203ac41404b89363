// The parts that Fanfare needs, and a check of each: Postgres, Temporal and a worker.
import type { Client, WorkflowService } from '@temporalio/client';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { within } from '../../activities/within.ts';
import type { Config } from '../../schema/config/config.ts';
import { findApiKeyByHash } from '../../schema/database/api-keys.ts';
import { findReadOnlyCause } from '../../schema/database/connect.ts';
import { isMigrated } from '../../schema/database/migrate.ts';
import type { Db } from '../../schema/database/tables.ts';
import { hashKey } from '../http/auth/api-keys.ts';
import { askOnce } from './temporal-connection.ts';

export const parts = [
  'database',
  'writable',
  'migrations',
  'api_key',
  'temporal',
  'worker',
] as const;
export type Part = (typeof parts)[number];

export interface PartReport {
  ok: boolean;
  error?: string;
}

export interface PartOptions {
  config: Config;
  db: Db;
  /** The key that clients of this process were given. Undefined: none. */
  firstKey?: string | undefined;
  /** Returns a client that connects when first used. */
  connectTemporal: () => Promise<Client>;
  /** State of the worker in this process. Absent if it has none. */
  isWorkerRunning?: () => boolean;
}

/** Probes usually wait at most 5 s, and one check may follow another. */
export const checkTimeoutMs = 2_000;
/** Probes need no key, so anyone may send many. One check serves all of them for this long. */
const checkEveryMs = 1_000;
/** A poll of a worker lasts up to a minute. */
const pollerSeenWithinMs = 90_000;

export function createPartChecks(options: PartOptions): (part: Part) => Promise<PartReport> {
  const { config, db, firstKey, connectTemporal, isWorkerRunning } = options;
  const { namespace, taskQueue } = config.temporal;

  async function ask<T>(call: (service: WorkflowService) => Promise<T>): Promise<T> {
    return askOnce(await connectTemporal(), checkTimeoutMs, call);
  }

  /** A key that is revoked later doesn't make the process unready. */
  let hasFirstKey = firstKey === undefined;

  const checks: Record<Part, () => Promise<unknown>> = {
    database: () => sql`select 1`.execute(db),

    async writable() {
      const cause = await findReadOnlyCause(db);
      if (cause) throw new Error(cause);
    },

    async migrations() {
      if (!(await isMigrated(db))) throw new Error('The command `migrate` has not run.');
    },

    async api_key() {
      hasFirstKey ||= (await findApiKeyByHash(db, hashKey(firstKey!))) !== undefined;
      if (!hasFirstKey) throw new Error('The first API key does not exist yet.');
    },

    temporal: () => ask((service) => service.describeNamespace({ namespace })),

    async worker() {
      if (isWorkerRunning) {
        if (!isWorkerRunning()) throw new Error('The worker is down.');
        return;
      }
      const { pollers } = await ask((service) =>
        service.describeTaskQueue({ namespace, taskQueue: { name: taskQueue } }),
      );
      const since = Date.now() - pollerSeenWithinMs;
      if (!pollers?.some(({ lastAccessTime }) => Number(lastAccessTime?.seconds) * 1000 > since)) {
        throw new Error('No worker polls the task queue.');
      }
    },
  };

  const reports = new LRUCache<Part, Promise<PartReport>>({
    max: parts.length,
    ttl: checkEveryMs,
    memoMethod: (part) => toReport(checks[part]()),
  });
  return (part) => reports.memo(part);
}

async function toReport(checking: Promise<unknown>): Promise<PartReport> {
  const answer = checking.then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, error: describeFailure(error) }),
  );
  const error = `No answer within ${checkTimeoutMs / 1_000} s.`;
  return (await within(checkTimeoutMs, answer)) ?? { ok: false, error };
}

/** The error has no message if several addresses refused the connection. */
export function describeFailure(error: unknown): string {
  const { message, code } = error as { message?: string; code?: unknown };
  return message || String(code);
}
