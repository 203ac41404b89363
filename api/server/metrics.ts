// What this process tells Prometheus: its requests, what waits, how webhooks fare, and Node's own figures.
import type { MiddlewareHandler } from 'hono';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { msUntil } from '../../schema/database/ago.ts';
import { readFeedLagSeconds } from '../../schema/database/live/changes.ts';
import { readDeliveryBacklog } from '../../schema/database/webhooks/delivery-backlog.ts';
import { listPauses } from '../../schema/database/dispatch/pauses.ts';
import { countWebhooksByState } from '../../schema/database/webhooks/health.ts';
import type { Context } from './context.ts';
import type { PublicPage } from '../http/public-page.ts';
import type { RestEnv } from '../http/request-id.ts';

const registry = new Registry();

const requestSeconds = new Histogram({
  name: 'fanfare_http_request_seconds',
  help: 'REST requests by route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  registers: [registry],
});

const outboxRows = new Gauge({
  name: 'fanfare_outbox_rows',
  help: 'Workflows that Temporal has not been told of yet.',
  registers: [registry],
});

const outboxAgeSeconds = new Gauge({
  name: 'fanfare_outbox_oldest_seconds',
  help: 'The age of the oldest of them.',
  registers: [registry],
});

const deliveriesWaiting = new Gauge({
  name: 'fanfare_deliveries_waiting',
  help: 'Deliveries that have not concluded: pending ones have not been attempted yet.',
  labelNames: ['status'],
  registers: [registry],
});

const deliveriesOverdueSeconds = new Gauge({
  name: 'fanfare_deliveries_overdue_seconds',
  help: 'How long the one due longest has been due.',
  registers: [registry],
});

const webhooks = new Gauge({
  name: 'fanfare_webhooks',
  help: 'Webhooks by state: failing ones are active still, with failed attempts since the last success.',
  labelNames: ['state'],
  registers: [registry],
});

const sendingPaused = new Gauge({
  name: 'fanfare_sending_paused',
  help: '1 for each network and project, or for all deliveries, that the operator has paused.',
  labelNames: ['scope'],
  registers: [registry],
});

const feedLagSeconds = new Gauge({
  name: 'fanfare_feed_lag_seconds',
  help: 'The age of the oldest change that a running transaction holds back from live streams.',
  registers: [registry],
});

export const countRequests: MiddlewareHandler<RestEnv> = async (c, next) => {
  const startedAtMs = performance.now();
  await next();
  const labels = {
    method: c.req.method,
    route: c.get('route') ?? 'other',
    status: String(c.res.status),
  };
  requestSeconds.observe(labels, (performance.now() - startedAtMs) / 1000);
};

let isNodeCollected = false;

export const metricsPage: PublicPage = {
  path: '/metrics',
  async respond(context, c) {
    // From the first scrape on: where nobody scrapes, nothing is collected.
    if (!isNodeCollected) collectDefaultMetrics({ register: registry });
    isNodeCollected = true;
    await readOutbox(context);
    await readDeliveries(context);
    for (const { state, count } of await countWebhooksByState(context.db)) {
      webhooks.set({ state }, count);
    }
    sendingPaused.reset();
    for (const { scope } of await listPauses(context.db)) sendingPaused.set({ scope }, 1);
    feedLagSeconds.set(await readFeedLagSeconds(context.db));
    return c.body(await registry.metrics(), 200, { 'Content-Type': registry.contentType });
  },
};

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
      msUntil(fn.min('created_at')).as('ageMs'),
    ])
    .executeTakeFirstOrThrow();
  outboxRows.set(Number(count));
  outboxAgeSeconds.set(-(ageMs ?? 0) / 1000);
}
