// Every environment variable that Fanfare reads: its form, its default and its sentence for `--help`.
import { Resolver } from 'node:dns';
import { z } from 'zod';
import { platformVariables } from '../platforms/index.ts';
import { defaultDeliveryDelaysMs, defaultQueryTimeoutMs, defaultTargetClock } from '../retry.ts';
import { delays, developmentFlag, flag, number, text, url } from './variables.ts';

/** Judged by the resolver that will use them. */
function areNameServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}

const CommonVariables = z.object({
  FANFARE_PORT: number('The port of the API. 0: any free one.', 4000, 0, 65_535),
  FANFARE_HOST: z.string().default('127.0.0.1').meta({ description: 'The address to listen on.' }),
  FANFARE_WORKER_PORT: number(
    'The port on which the command `worker` answers probes and metrics. 0: any free one.',
    4001,
    0,
    65_535,
  ),
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
  FANFARE_DATABASE_TIMEOUT_MS: number(
    'How long Postgres may take to answer a query. The connection is then replaced, milliseconds.',
    defaultQueryTimeoutMs,
    100,
    600_000,
  ),
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
  FANFARE_DNS_SERVERS: z
    .string()
    .transform((list) => list.split(/[\s,]+/).filter(Boolean))
    .refine(areNameServers, 'must be addresses with or without a port, separated by commas')
    .optional()
    .meta({
      description:
        "DNS servers for the hosts of webhooks and networks: `<address>` or `<address>:<port>`, separated by commas. Default: the system's.",
    }),
  FANFARE_PREVIEW_EVENTS: flag('Whether coming-soon events are sent.', false),
  FANFARE_SANDBOX: developmentFlag(
    'Whether the built-in sandbox network is on. Anyone who reaches the API can post to it.',
  ),
  FANFARE_MIN_SCHEDULE_AHEAD_S: number('How far ahead a schedule must be, seconds.', 60),
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
  FANFARE_STALLED_MS: number(
    'A stream of server-sent events of which the client has taken nothing for so long is cut.',
    120_000,
    1_000,
  ),
  FANFARE_MAX_BODY_BYTES: number('The most bytes of a request body.', 1_048_576, 1024),
  FANFARE_RATE_LIMIT_PER_MINUTE: number('Requests per project and minute. 0: no limit.', 6000),
  FANFARE_DELIVERY_DELAYS_MS: delays(
    'Waits before the retries of a delivery.',
    defaultDeliveryDelaysMs,
  ),
  FANFARE_DELIVERY_TIMEOUT_MS: number('How long a receiver may take.', 10_000, 100, 10_000),
  FANFARE_DELIVERIES_PER_ENDPOINT: number(
    'Parallel requests of one project to one endpoint.',
    20,
    1,
    1000,
  ),
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
    'Days to keep events, deliveries and their attempts, replays, expired connect sessions, deleted webhooks, and revoked or expired API keys.',
    30,
    1,
    3_650,
  ),
  FANFARE_POST_RETENTION_DAYS: number(
    "Days to keep concluded posts with their results and attempts, and accounts' monthly usage.",
    365,
    62,
    3_650,
  ),
  FANFARE_BOOKMARK_MS: number(
    'How often a stream is told a newer cursor, though nothing happens to what it is about.',
    1_200_000,
    1_000,
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
  FANFARE_INTROSPECTION: developmentFlag('Whether GraphQL tells its schema.'),
  FANFARE_GRAPHIQL: developmentFlag('Whether /graphql shows GraphiQL to browsers.'),
  FANFARE_PERSISTED_DOCUMENTS: text(
    'A JSON file of GraphQL documents that clients may name by id: `{"<id>": "<document>"}`, or a manifest made by Apollo.',
  ),
  FANFARE_PERSISTED_ONLY: flag('Whether no other GraphQL document is answered.', false),
});

/** Every variable that Fanfare reads. Those of a network come from its entry. */
export const Environment = CommonVariables.extend(platformVariables) as typeof CommonVariables;
