// The page of Prometheus metrics: of this process, of Node and Temporal's SDK, and of the whole installation.
import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { MiddlewareHandler } from 'hono';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { processRegistry } from '../../activities/metrics.ts';
import { isLoopback } from '../../schema/config/cross-checks.ts';
import { msUntil } from '../../schema/database/database-clock.ts';
import { readFeedLagSeconds } from '../../schema/database/live/changes.ts';
import { countWaitingTargets } from '../../schema/database/dispatch/late-targets.ts';
import { readDeliveryBacklog } from '../../schema/database/dispatch/stuck.ts';
import { listPauses } from '../../schema/database/pauses.ts';
import { countWebhooksByState } from '../../schema/database/webhooks/health.ts';
import { version } from '../../schema/version.ts';
import { hashKey } from '../http/auth/api-keys.ts';
import type { Context } from '../http/context.ts';
import { logRefusedScrape } from '../http/limited-lines.ts';
import type { PublicPage } from '../http/route.ts';
import type { RestEnv } from '../http/request-id.ts';
import type { ProcessContext } from './health.ts';

/** Read from Postgres at each scrape, and left out if Postgres doesn't answer. */
const installation = new Registry();

const requestSeconds = new Histogram({
  name: 'fanfare_http_request_seconds',
  help: 'REST requests by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  registers: [processRegistry],
});

const ofProcess = (name: string, help: string, ...labelNames: string[]) =>
  new Gauge({ name, help, labelNames, registers: [processRegistry] });
const gauge = (name: string, help: string, ...labelNames: string[]) =>
  new Gauge({ name, help, labelNames, registers: [installation] });

const buildInfo = ofProcess(
  'fanfare_build_info',
  '1, with the version of Fanfare and the role of the process.',
  'version',
  'role',
);
const databaseUp = ofProcess('fanfare_database_up', '1 if Postgres answered this scrape.');
const connections = ofProcess(
  'fanfare_database_connections',
  'Connections of the pool to Postgres.',
  'state',
);
const queriesWaiting = ofProcess(
  'fanfare_database_queries_waiting',
  'Queries that wait for a connection of the pool.',
);

const outboxRows = gauge(
  'fanfare_outbox_rows',
  'Due workflows that are not yet started, and batches in first attempts.',
);
const outboxAgeSeconds = gauge(
  'fanfare_outbox_oldest_seconds',
  'How long the oldest of them has been due.',
);
const targetsWaiting = gauge(
  'fanfare_targets_waiting',
  'Open targets of due posts, by network and by what they wait for.',
  'platform',
  'reason',
);
const targetsOverdueSeconds = gauge(
  'fanfare_targets_overdue_seconds',
  'How long the oldest of these targets has been due.',
  'platform',
  'reason',
);
const deliveriesWaiting = gauge(
  'fanfare_deliveries_waiting',
  'Open deliveries. Pending ones have no attempt yet.',
  'status',
);
const deliveriesOverdueSeconds = gauge(
  'fanfare_deliveries_overdue_seconds',
  'How long the most overdue delivery has been due.',
);
const webhooks = gauge(
  'fanfare_webhooks',
  'Webhooks by state. Failing ones are active, with failed attempts since the last success.',
  'state',
);
const sendingPaused = gauge(
  'fanfare_sending_paused',
  '1 for each paused scope: a network, a project or all deliveries.',
  'scope',
);
const feedLagSeconds = gauge(
  'fanfare_feed_lag_seconds',
  'Age of the oldest change that a running transaction keeps from live streams.',
);

export const countRequests: MiddlewareHandler<RestEnv> = async (c, next) => {
  const startedAtMs = performance.now();
  await next();
  const { method } = c.req;
  observeRequest({ method, route: c.get('route') ?? 'other', status: c.res.status }, startedAtMs);
};

/** `startedAtMs`: by `performance.now()`. */
export function observeRequest(
  labels: { method: string; route: string; status: number },
  startedAtMs: number,
): void {
  requestSeconds.observe(labels, (performance.now() - startedAtMs) / 1000);
}

export const metricsPage: PublicPage<ProcessContext> = {
  path: '/metrics',
  async respond(context, c) {
    const refusal = refuseScrape(context, c.req.header('Authorization'));
    if (refusal) {
      logRefusedScrape(context.log, refusal.status, c.get('requestId'));
      return c.text(refusal.message, refusal.status);
    }
    // Node's metrics are collected from the first scrape on, so that a process without scrapes collects
    // nothing.
    const nodeMetric = processRegistry.getSingleMetric('process_start_time_seconds');
    if (!nodeMetric) collectDefaultMetrics({ register: processRegistry });
    const isUp = await readInstallation(context).then(
      () => true,
      () => false,
    );
    buildInfo.set({ version, role: context.health.role }, 1);
    databaseUp.set(Number(isUp));
    readPool(context);
    const texts = await Promise.all([
      processRegistry.metrics(),
      isUp ? installation.metrics() : '',
      context.temporalRuntime?.readMetrics(),
    ]);
    const type = processRegistry.contentType;
    return c.body(texts.filter(Boolean).join('\n'), 200, { 'Content-Type': type });
  },
};

const needsToken = 'Set FANFARE_METRICS_TOKEN, and send it as a bearer token.\n';
const wrongToken = 'The token is not FANFARE_METRICS_TOKEN.\n';

/**
 * Not everyone may read metrics, because they name paused projects and show how much an installation does.
 */
function refuseScrape({ config }: Context, given: string | undefined) {
  const { metricsToken } = config.secrets;
  if (metricsToken === undefined) {
    return isLoopback(config.host) ? undefined : ({ status: 403, message: needsToken } as const);
  }
  const isRight = timingSafeEqual(hashKey(given ?? ''), hashKey(`Bearer ${metricsToken}`));
  return isRight ? undefined : ({ status: 401, message: wrongToken } as const);
}

function readPool({ pool }: ProcessContext): void {
  const { total, idle, waiting } = pool();
  connections.set({ state: 'idle' }, idle);
  connections.set({ state: 'busy' }, total - idle);
  queriesWaiting.set(waiting);
}

async function readInstallation(context: Context): Promise<void> {
  await readOutbox(context);
  await readTargets(context);
  await readDeliveries(context);
  for (const { state, count } of await countWebhooksByState(context.db)) {
    webhooks.set({ state }, count);
  }
  sendingPaused.reset();
  for (const { scope } of await listPauses(context.db)) sendingPaused.set({ scope }, 1);
  feedLagSeconds.set(await readFeedLagSeconds(context.db));
}

async function readTargets({ db }: Context): Promise<void> {
  const groups = await countWaitingTargets(db);
  targetsWaiting.reset();
  targetsOverdueSeconds.reset();
  for (const { platform, reason, count, overdueS } of groups) {
    targetsWaiting.set({ platform, reason }, count);
    targetsOverdueSeconds.set({ platform, reason }, overdueS);
  }
}

async function readDeliveries({ db }: Context): Promise<void> {
  const { pending, retrying, overdueS } = await readDeliveryBacklog(db);
  deliveriesWaiting.set({ status: 'pending' }, pending);
  deliveriesWaiting.set({ status: 'retrying' }, retrying);
  deliveriesOverdueSeconds.set(overdueS);
}

async function readOutbox({ db }: Context): Promise<void> {
  const { count, ageMs } = await db
    .selectFrom('outbox')
    .select(({ fn }) => [
      fn.countAll<string>().as('count'),
      msUntil(fn.min(sql<Date>`greatest(start_at, created_at)`)).as('ageMs'),
    ])
    .where('is_early', '=', false)
    .executeTakeFirstOrThrow();
  outboxRows.set(Number(count));
  outboxAgeSeconds.set(Math.max(-(ageMs ?? 0), 0) / 1000);
}
