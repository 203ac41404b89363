// The probes: whether to replace this process, whether it can accept requests, and details.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { DatabaseConnection, PoolState } from '../../schema/database/connect.ts';
import { pingDatabase } from '../../schema/database/timed-client.ts';
import { version } from '../../schema/version.ts';
import type { Context } from '../http/context.ts';
import type { PublicPage } from '../http/route.ts';
import type { TemporalRuntime } from './temporal-runtime.ts';
import {
  checkTimeoutMs,
  createPartChecks,
  parts,
  type Part,
  type PartOptions,
  type PartReport,
} from './parts.ts';

export type Role = 'start' | 'api' | 'worker';

export interface Health {
  readonly role: Role;
  /** The parts that fail only in this process, so that a new process would help. */
  findOwnFailures(): Promise<string[]>;
  /** The failing parts that keep this process from accepting requests. Temporal isn't needed. */
  findMissing(): Promise<string[]>;
  report(): Promise<Report>;
  /** Makes the process not ready. */
  stop(): void;
}

interface Report {
  status: 'ok' | 'degraded';
  role: Role;
  version: string;
  parts: Record<Part, PartReport>;
  /** Delays since the last report. While the loop is blocked, nothing is reported. */
  event_loop_delay_ms: { mean: number; max: number };
}

export interface HealthOptions extends Omit<PartOptions, 'db'> {
  role: Role;
  databaseUrl: string;
  database: Pick<DatabaseConnection, 'db' | 'lastAnswerAtMs'>;
}

const needed = ['database', 'writable', 'migrations', 'api_key'] as const;

/** Node's default of 10 ms costs an idle process a third of its CPU time. */
const delayReadEveryMs = 100;

export function createHealth(options: HealthOptions): Health {
  const { role, config, databaseUrl, database, isWorkerRunning } = options;
  const check = createPartChecks({ ...options, db: database.db });
  // A pool of silent connections recovers within two timeouts.
  const ownFailureAfterMs = 3 * config.databaseTimeoutMs;
  const eventLoopDelay = monitorEventLoopDelay({ resolution: delayReadEveryMs });
  eventLoopDelay.enable();
  /** A worker that still builds its bundle has not failed. A new process would start over. */
  let hasWorkerRun = false;
  /** When a probe first found the worker down while Temporal answered. */
  let workerFailingSinceMs: number | undefined;
  let isStopping = false;

  const canConnect = () =>
    pingDatabase(databaseUrl, 'fanfare probe', checkTimeoutMs).then(
      () => true,
      () => false,
    );

  async function hasPoolFailure(): Promise<boolean> {
    const isOld = performance.now() - database.lastAnswerAtMs() > ownFailureAfterMs;
    if (!isOld) return false;
    // In parallel, because in sequence both could take longer than the probe waits.
    const [own, isFreshOk] = await Promise.all([check('database'), canConnect()]);
    return !own.ok && isFreshOk;
  }

  async function hasWorkerFailure(): Promise<boolean> {
    const isRunning = isWorkerRunning?.() ?? false;
    hasWorkerRun ||= isRunning;
    const isFailing = hasWorkerRun && !isRunning && (await check('temporal')).ok;
    workerFailingSinceMs = isFailing ? (workerFailingSinceMs ?? performance.now()) : undefined;
    return isFailing && performance.now() - workerFailingSinceMs! > ownFailureAfterMs;
  }

  return {
    role,

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
      const results = await Promise.all(parts.map(check));
      // Node measures the time between two readings, which is the delay and the interval.
      const toMs = (nanoseconds: number) =>
        Math.max(Math.round(nanoseconds / 1e5) / 10 - delayReadEveryMs, 0) || 0;
      const { mean, max } = eventLoopDelay;
      eventLoopDelay.reset();
      return {
        status: results.every(({ ok }) => ok) ? 'ok' : 'degraded',
        role,
        version,
        parts: Object.fromEntries(parts.map((part, i) => [part, results[i]!])) as Report['parts'],
        event_loop_delay_ms: { mean: toMs(mean), max: toMs(max) },
      };
    },

    stop() {
      isStopping = true;
    },
  };
}

/** The context of a process, with its own state. */
export interface ProcessContext extends Context {
  readonly health: Health;
  /** State of the connections to Postgres. */
  readonly pool: () => PoolState;
  /** Absent if this process has no worker. */
  readonly temporalRuntime?: TemporalRuntime | undefined;
}

export const healthPages: PublicPage<ProcessContext>[] = [
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
