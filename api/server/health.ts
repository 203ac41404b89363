// Three probes: whether this process must be replaced, whether it can accept requests, and details.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Client, WorkflowService } from '@temporalio/client';
import { sql } from 'kysely';
import { within } from '../../activities/within.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../../schema/config/config.ts';
import { findReadOnlyCause, type DatabaseConnection } from '../../schema/database/connect.ts';
import { isMigrated } from '../../schema/database/migrate.ts';
import { TimedClient, timedOptions } from '../../schema/database/timed-client.ts';
import type { PublicPage } from '../http/public-page.ts';

export type Role = 'start' | 'api' | 'worker';

/** Everything that `api` and `worker` need, wherever it runs. */
type Part = 'database' | 'writable' | 'migrations' | 'temporal' | 'worker';

export interface Health {
  /** The parts that fail in this process alone, so that a new process would do better. */
  findOwnFailures(): Promise<string[]>;
  /** The parts that this process lacks to accept requests. Temporal isn't needed. */
  findMissing(): Promise<string[]>;
  report(): Promise<Report>;
  /** From now on it is not ready. */
  stop(): void;
}

interface PartReport {
  ok: boolean;
  error?: string;
}

interface Report {
  status: 'ok' | 'degraded';
  role: Role;
  version: string;
  parts: Record<Part, PartReport>;
  /** Since the last report. A loop that is blocked now doesn't answer at all. */
  event_loop_delay_ms: { mean: number; max: number };
}

export interface HealthOptions {
  role: Role;
  config: Config;
  databaseUrl: string;
  database: Pick<DatabaseConnection, 'db' | 'lastAnswerAtMs'>;
  /** A client that connects when first used. */
  connectTemporal: () => Promise<Client>;
  /** Of this process's worker. Absent where it has none. */
  isWorkerRunning?: () => boolean;
}

/** Probes usually wait no longer than 5 s, and one check may follow another. */
const checkTimeoutMs = 2_000;
/** A check's answer serves every probe for this long: probes need no key, so anyone may send many. */
const checkEveryMs = 1_000;
/** A worker's poll lasts up to a minute, so a living one was seen within this. */
const pollerSeenWithinMs = 90_000;
const needed = ['database', 'writable', 'migrations'] as const;

export function createHealth(options: HealthOptions): Health {
  const { role, config, databaseUrl, database, connectTemporal, isWorkerRunning } = options;
  const { db } = database;
  const { namespace, taskQueue } = config.temporal;
  // A pool of silent connections recovers by itself within two timeouts.
  const ownFailureAfterMs = 3 * config.databaseTimeoutMs;
  const eventLoopDelay = monitorEventLoopDelay();
  eventLoopDelay.enable();
  /** A worker that is still building its bundle has not failed: a new process would begin again. */
  let hasWorkerRun = false;
  /** When a probe first found the worker down though Temporal answers. */
  let workerFailingSinceMs: number | undefined;
  let isStopping = false;

  /** Over a connection of its own: gRPC waits without end for one that is silent when it begins. */
  async function ask<T>(call: (service: WorkflowService) => Promise<T>): Promise<T> {
    const { connection } = await connectTemporal();
    try {
      return await connection.withDeadline(Date.now() + checkTimeoutMs, () =>
        call(connection.workflowService),
      );
    } finally {
      await connection.close();
    }
  }

  const checks: Record<Part, () => Promise<unknown>> = {
    database: () => sql`select 1`.execute(db),

    async writable() {
      const cause = await findReadOnlyCause(db);
      if (cause) throw new Error(cause);
    },

    async migrations() {
      if (!(await isMigrated(db))) throw new Error('The command `migrate` has not run.');
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

  const answers = new Map<Part, { atMs: number; answer: Promise<PartReport> }>();

  function check(part: Part): Promise<PartReport> {
    const known = answers.get(part);
    if (known && performance.now() - known.atMs < checkEveryMs) return known.answer;
    const answer = toReport(checks[part]());
    answers.set(part, { atMs: performance.now(), answer });
    return answer;
  }

  async function answersFresh(): Promise<boolean> {
    const client = new TimedClient({
      ...timedOptions(checkTimeoutMs),
      connectionString: databaseUrl,
      application_name: 'fanfare probe',
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      return false;
    } finally {
      void client.end();
    }
  }

  async function hasPoolFailure(): Promise<boolean> {
    const isOld = performance.now() - database.lastAnswerAtMs() > ownFailureAfterMs;
    if (!isOld) return false;
    // Side by side: one after the other, both could take longer than the probe waits.
    const [own, isFreshWell] = await Promise.all([check('database'), answersFresh()]);
    return !own.ok && isFreshWell;
  }

  async function hasWorkerFailure(): Promise<boolean> {
    const isRunning = isWorkerRunning?.() ?? false;
    hasWorkerRun ||= isRunning;
    const isFailing = hasWorkerRun && !isRunning && (await check('temporal')).ok;
    workerFailingSinceMs = isFailing ? (workerFailingSinceMs ?? performance.now()) : undefined;
    return isFailing && performance.now() - workerFailingSinceMs! > ownFailureAfterMs;
  }

  return {
    async findOwnFailures() {
      const [pool, worker] = await Promise.all([hasPoolFailure(), hasWorkerFailure()]);
      return [...(pool ? ['database_pool'] : []), ...(worker ? ['worker'] : [])];
    },

    async findMissing() {
      if (isStopping) return ['stopping'];
      const results = await Promise.all(needed.map(check));
      return needed.filter((_, i) => !results[i]!.ok);
    },

    async report() {
      const names = Object.keys(checks) as Part[];
      const results = await Promise.all(names.map(check));
      const toMs = (nanoseconds: number) => Math.round(nanoseconds / 1e5) / 10 || 0;
      const { mean, max } = eventLoopDelay;
      eventLoopDelay.reset();
      return {
        status: results.every(({ ok }) => ok) ? 'ok' : 'degraded',
        role,
        version: packageJson.version,
        parts: Object.fromEntries(names.map((name, i) => [name, results[i]!])) as Report['parts'],
        event_loop_delay_ms: { mean: toMs(mean), max: toMs(max) },
      };
    },

    stop() {
      isStopping = true;
    },
  };
}

async function toReport(checking: Promise<unknown>): Promise<PartReport> {
  const answer = checking.then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, error: describe(error) }),
  );
  const error = `No answer within ${checkTimeoutMs / 1_000} s.`;
  return (await within(checkTimeoutMs, answer)) ?? { ok: false, error };
}

/** A connection refused on several addresses has no message of its own. */
function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: unknown };
  return message || String(code);
}

export const healthPages: PublicPage[] = [
  {
    path: '/livez',
    async respond({ health }, c) {
      const failing = await health.findOwnFailures();
      if (failing.length === 0) return c.json({ status: 'ok', failing });
      return c.json({ status: 'failing', failing }, 503);
    },
  },
  {
    path: '/readyz',
    async respond({ health }, c) {
      const missing = await health.findMissing();
      if (missing.length === 0) return c.json({ status: 'ready', missing });
      c.header('Retry-After', '2');
      return c.json({ status: 'not_ready', missing }, 503);
    },
  },
  {
    path: '/healthz',
    async respond({ health }, c) {
      const report = await health.report();
      return c.json(report, report.status === 'ok' ? 200 : 503);
    },
  },
];
