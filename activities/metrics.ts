// Prometheus metrics of this process: counters since its start, and gauges of its current work.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Labels have few values: no project, no account, no host. */
export const processRegistry = new Registry();
const registers = [processRegistry];

export const endedPosts = new Counter({
  name: 'fanfare_posts_total',
  help: 'Posts that ended, by status.',
  labelNames: ['status'],
  registers,
});

export const endedResults = new Counter({
  name: 'fanfare_results_total',
  help: 'Results of posts that ended, by network, status and error code.',
  labelNames: ['platform', 'status', 'error_code'],
  registers,
});

export const attemptSeconds = new Histogram({
  name: 'fanfare_attempt_duration_seconds',
  help: 'Calls to networks, by network, phase and outcome.',
  labelNames: ['platform', 'phase', 'outcome'],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
  registers,
});

export const endedDeliveries = new Counter({
  name: 'fanfare_deliveries_total',
  help: 'Deliveries that were delivered or failed for good.',
  labelNames: ['status'],
  registers,
});

export const deliveryAttemptSeconds = new Histogram({
  name: 'fanfare_delivery_attempt_duration_seconds',
  help: 'Webhook requests to receivers, by outcome.',
  labelNames: ['outcome'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
});

export const openStreams = new Gauge({
  name: 'fanfare_open_streams',
  help: 'Open live streams, over SSE and WebSocket.',
  registers,
});

export const openWebSockets = new Gauge({
  name: 'fanfare_open_websockets',
  help: 'Open WebSockets. Each can have many streams.',
  registers,
});
