// The configuration: one object read from the environment once, all its faults reported together.
import { z } from 'zod';
import { parseCidrs } from './cidrs.ts';
import { findCrossFaults } from './config-faults.ts';
import type { PlatformName } from './platforms.ts';
import { defaultDeliveryDelaysMs, defaultTargetClock } from './retry.ts';

const text = (doc: string) => z.string().optional().meta({ description: doc });
const number = (doc: string, fallback: number, min = 0, max = 2 ** 31 - 1) =>
  z.coerce.number().int().min(min).max(max).default(fallback).meta({ description: doc });
const flag = (doc: string, fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((word) => word === 'true')
    .meta({ description: doc });
const url = (doc: string) =>
  z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ description: doc });
const delays = (doc: string, fallback: readonly number[]) =>
  z
    .string()
    .regex(/^\d+(,\d+)*$/, 'must be milliseconds, separated by commas')
    .transform((items) => items.split(',').map(Number))
    .default([...fallback])
    .meta({ description: doc });

/** Every variable that Fanfare reads. */
export const Environment = z.object({
  FANFARE_PORT: number('The port of the API. 0: any free one.', 4000, 0, 65_535),
  FANFARE_HOST: z.string().default('127.0.0.1').meta({ description: 'The address to listen on.' }),
  FANFARE_PUBLIC_URL: url('The base address that clients see. Default: http://<host>:<port>.'),
  FANFARE_DATA_DIR: z
    .string()
    .default('.data')
    .meta({ description: 'Where the embedded servers and the first key are kept.' }),
  FANFARE_API_KEY: z
    .string()
    .min(20, 'must have 20 characters or more')
    .optional()
    .meta({ description: 'The first API key, instead of one made at the first start.' }),
  FANFARE_VAULT_KEYS: text(
    'Keys that seal stored secrets: `<id>:<base64 of 32 bytes>`, separated by commas, the newest first. Default: one is made under the data directory.',
  ),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .meta({ description: 'Postgres. Without it an embedded one is started.' }),
  FANFARE_DATABASE_CONNECTIONS: number('The most connections of one process.', 20, 2, 500),
  TEMPORAL_ADDRESS: text('Temporal, host:port. Without it a development server is started.'),
  TEMPORAL_NAMESPACE: z.string().default('default').meta({ description: "Temporal's namespace." }),
  TEMPORAL_API_KEY: text('The API key of Temporal Cloud.'),
  TEMPORAL_TLS_CERT: text('The path of the client certificate, for mTLS.'),
  TEMPORAL_TLS_KEY: text("The path of the client certificate's key, for mTLS."),
  TEMPORAL_TASK_QUEUE: z.string().default('fanfare').meta({ description: 'The task queue.' }),
  TEMPORAL_UI_URL: url("Temporal's web page, for links. The embedded server's is known."),
  TEMPORAL_CLI: text('The path of a `temporal` executable for the embedded server.'),
  FANFARE_ALLOW_PRIVATE_CIDRS: text(
    'Address ranges that webhooks and user-given hosts may reach though they are private.',
  ),
  FANFARE_PREVIEW_EVENTS: flag('Whether coming-soon events are sent.', false),
  FANFARE_SANDBOX: flag('Whether the built-in sandbox network is there.', true),
  FANFARE_SANDBOX_API_URL: url('Where the sandbox network answers. Default: our own /sandbox.'),
  FANFARE_BLUESKY_API_URL: url('The PDS or entryway that Bluesky handles log in to.'),
  FANFARE_MIN_SCHEDULE_AHEAD_S: number('How far ahead a schedule must be, seconds.', 60),
  FANFARE_SANDBOX_POSTS_PER_MINUTE: number(
    'The most posts per minute that this installation commits to the sandbox. 0: no limit.',
    0,
  ),
  FANFARE_BLUESKY_POSTS_PER_MINUTE: number(
    'The most posts per minute that this installation commits to Bluesky. 0: no limit.',
    0,
  ),
  FANFARE_MONTHLY_POSTS_PER_ACCOUNT: number(
    "The monthly limit of an account's published targets, where its project has none of its own. 0: no limit.",
    1_000,
  ),
  FANFARE_MAX_TARGETS: number('The most targets of one post.', 25, 1, 1000),
  FANFARE_MAX_WEBHOOKS: number('The most webhooks of one project.', 50, 1),
  FANFARE_MAX_STREAMS_PER_PROJECT: number(
    'The most live streams of one project at once, on one server.',
    1_000,
    1,
  ),
  FANFARE_MAX_SOCKETS: number('The most GraphQL sockets of one server at once.', 10_000, 1),
  FANFARE_MAX_SOCKETS_PER_PROJECT: number(
    'The most GraphQL sockets of one project at once, on one server.',
    1_000,
    1,
  ),
  FANFARE_SOCKET_PING_MS: number(
    'How often a socket is pinged; one that has not answered by the next is cut.',
    12_000,
    100,
  ),
  FANFARE_SOCKET_IDLE_MS: number(
    'A socket on which nothing runs is closed after this.',
    600_000,
    1_000,
  ),
  FANFARE_MAX_BODY_BYTES: number('The most bytes of a request body.', 1_048_576, 1024),
  FANFARE_RATE_LIMIT_PER_MINUTE: number('Requests per key and minute. 0: no limit.', 6000),
  FANFARE_DELIVERY_DELAYS_MS: delays(
    'Waits before the retries of a delivery.',
    defaultDeliveryDelaysMs,
  ),
  FANFARE_DELIVERY_TIMEOUT_MS: number('How long a receiver may take.', 10_000, 100, 10_000),
  FANFARE_DELIVERIES_PER_ENDPOINT: number('Parallel requests to one endpoint.', 20, 1, 1000),
  FANFARE_DISABLE_AFTER_FAILURES: number(
    'A webhook is disabled after so many events in a row have failed for good.',
    5,
    1,
    100,
  ),
  FANFARE_DISABLE_AFTER_S: number(
    'And only when nothing has been delivered to it for so long, seconds.',
    3_600,
  ),
  FANFARE_RETENTION_DAYS: number(
    'How long events, deliveries and attempts are kept, days.',
    30,
    1,
    3_650,
  ),
  FANFARE_FEED_RETENTION_HOURS: number(
    'How long a live stream can be resumed from its cursor, hours.',
    24,
    1,
    8_760,
  ),
  FANFARE_UNAVAILABLE_DELAYS_MS: delays(
    'Waits of a target after refusals that surely came before acceptance.',
    defaultTargetClock.unavailableDelaysMs,
  ),
  FANFARE_RECONCILE_DELAYS_MS: delays(
    'Waits before each look for a post whose outcome is unknown.',
    defaultTargetClock.reconcileDelaysMs,
  ),
  FANFARE_SWEEP_EVERY_S: number('How often lost work is looked for, seconds.', 60, 1),
  FANFARE_SWEEP_OVERDUE_S: number('How long overdue work must be to be looked at.', 300, 1),
  FANFARE_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .meta({ description: 'What is logged.' }),
  FANFARE_GRAPHIQL: flag('Whether /graphql shows GraphiQL to browsers.', true),
  FANFARE_PERSISTED_DOCUMENTS: text(
    'A JSON file of GraphQL documents that clients may name by id: `{"<id>": "<document>"}`, or a manifest made by Apollo.',
  ),
  FANFARE_PERSISTED_ONLY: flag('Whether no other GraphQL document is answered.', false),
});

export type Config = Readonly<ReturnType<typeof readConfig>>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** Pure. An empty variable counts as not set. Throws a ConfigError that lists every fault. */
export function readConfig(env: Record<string, string | undefined>) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(set);
  const faults: string[] = (parsed.error?.issues ?? []).map(
    (issue) => `${issue.path.join('.')}: ${issue.message}`,
  );
  faults.push(...unknownVariables(set), ...findCrossFaults(set));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const e = parsed.data;
  return deepFreeze({
    port: e.FANFARE_PORT,
    host: e.FANFARE_HOST,
    publicUrl: e.FANFARE_PUBLIC_URL?.replace(/\/+$/, ''),
    dataDirectory: e.FANFARE_DATA_DIR,
    databaseUrl: e.DATABASE_URL,
    databaseConnections: e.FANFARE_DATABASE_CONNECTIONS,
    temporal: {
      address: e.TEMPORAL_ADDRESS,
      namespace: e.TEMPORAL_NAMESPACE,
      taskQueue: e.TEMPORAL_TASK_QUEUE,
      uiUrl: e.TEMPORAL_UI_URL,
      cli: e.TEMPORAL_CLI,
      tlsCertPath: e.TEMPORAL_TLS_CERT,
      tlsKeyPath: e.TEMPORAL_TLS_KEY,
    },
    secrets: {
      apiKey: e.FANFARE_API_KEY,
      temporalApiKey: e.TEMPORAL_API_KEY,
      vaultKeys: e.FANFARE_VAULT_KEYS,
    },
    allowPrivateCidrs: parseCidrs(e.FANFARE_ALLOW_PRIVATE_CIDRS ?? '').cidrs,
    previewEvents: e.FANFARE_PREVIEW_EVENTS,
    hasSandbox: e.FANFARE_SANDBOX,
    sandboxApiUrl: e.FANFARE_SANDBOX_API_URL,
    blueskyApiUrl: e.FANFARE_BLUESKY_API_URL ?? 'https://bsky.social',
    minScheduleAheadS: e.FANFARE_MIN_SCHEDULE_AHEAD_S,
    postsPerMinute: {
      sandbox: e.FANFARE_SANDBOX_POSTS_PER_MINUTE,
      bluesky: e.FANFARE_BLUESKY_POSTS_PER_MINUTE,
    } satisfies Record<PlatformName, number>,
    monthlyPostsPerAccount: e.FANFARE_MONTHLY_POSTS_PER_ACCOUNT,
    maxTargets: e.FANFARE_MAX_TARGETS,
    maxWebhooks: e.FANFARE_MAX_WEBHOOKS,
    maxStreamsPerProject: e.FANFARE_MAX_STREAMS_PER_PROJECT,
    sockets: {
      max: e.FANFARE_MAX_SOCKETS,
      maxPerProject: e.FANFARE_MAX_SOCKETS_PER_PROJECT,
      pingEveryMs: e.FANFARE_SOCKET_PING_MS,
      idleMs: e.FANFARE_SOCKET_IDLE_MS,
    },
    maxBodyBytes: e.FANFARE_MAX_BODY_BYTES,
    rateLimitPerMinute: e.FANFARE_RATE_LIMIT_PER_MINUTE,
    deliveryDelaysMs: e.FANFARE_DELIVERY_DELAYS_MS,
    deliveryTimeoutMs: e.FANFARE_DELIVERY_TIMEOUT_MS,
    deliveriesPerEndpoint: e.FANFARE_DELIVERIES_PER_ENDPOINT,
    disabling: {
      afterFailures: e.FANFARE_DISABLE_AFTER_FAILURES,
      afterMs: e.FANFARE_DISABLE_AFTER_S * 1_000,
    },
    retention: {
      recordsMs: e.FANFARE_RETENTION_DAYS * 86_400_000,
      feedMs: e.FANFARE_FEED_RETENTION_HOURS * 3_600_000,
    },
    targetClock: {
      ...defaultTargetClock,
      unavailableDelaysMs: e.FANFARE_UNAVAILABLE_DELAYS_MS,
      reconcileDelaysMs: e.FANFARE_RECONCILE_DELAYS_MS,
    },
    sweepEveryS: e.FANFARE_SWEEP_EVERY_S,
    sweepOverdueS: e.FANFARE_SWEEP_OVERDUE_S,
    logLevel: e.FANFARE_LOG_LEVEL,
    hasGraphiql: e.FANFARE_GRAPHIQL,
    storedDocuments: {
      path: e.FANFARE_PERSISTED_DOCUMENTS,
      isOnly: e.FANFARE_PERSISTED_ONLY,
    },
  });
}

/** A misspelt variable would be silently ignored; only our own prefix is known to be ours. */
function unknownVariables(env: Record<string, string | undefined>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('FANFARE_') && !(name in Environment.shape))
    .map((name) => `${name}: is not a variable that Fanfare knows`);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
