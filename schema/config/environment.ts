// Every environment variable that Fanfare reads, with its default and its description for `--help`.
import { Resolver } from 'node:dns';
import { z } from 'zod';
import { platformDefinitions, platformVariables } from '../platforms/index.ts';
import { defaultDeliveryDelaysMs, defaultQueryTimeoutMs, defaultTargetClock } from '../retry.ts';
import { delays, developmentFlag, flag, number, text, url } from '../platforms/variables.ts';

/** Checks the addresses by the same resolver that will use them. */
function areNameServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}

function areOrigins(list: string[]): boolean {
  return list.every((text) => /^https?:/.test(text) && URL.parse(text)?.origin === text);
}

const fetchingNetworks = platformDefinitions
  .filter(({ needsPublicMedia }) => needsPublicMedia)
  .map(({ title }) => title)
  .join(', ');

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'];

const CommonVariables = z.object({
  FANFARE_PORT: number('Port of the API. 0 means any free port.', 4000, 0, 65_535),
  FANFARE_HOST: z.string().default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  FANFARE_WORKER_PORT: number(
    'Port on which `worker` answers probes and metrics. 0 means any free port.',
    4001,
    0,
    65_535,
  ),
  FANFARE_PUBLIC_URL: url(
    'Base URL that clients use. Required if FANFARE_HOST is not a loopback address. Default: http://<host>:<port>.',
  ),
  FANFARE_URL: url(
    'Base URL of the Fanfare that `post`, `listen`, `mcp` and the other commands of clients call. Default: FANFARE_PUBLIC_URL, or the one on this machine.',
  ),
  FANFARE_MEDIA_PUBLIC_URL: url(
    `Base URL at which networks fetch media from this server. Without a public https address, these networks are off: ${fetchingNetworks}. Default: FANFARE_PUBLIC_URL.`,
  ),
  FANFARE_METRICS_TOKEN: z.string().min(20, 'must have at least 20 characters').optional().meta({
    description:
      'Bearer token that `/metrics` demands. Without it, `/metrics` answers only where FANFARE_HOST is a loopback address.',
  }),
  FANFARE_DATA_DIR: z
    .string()
    .default('.data')
    .meta({ description: 'Data directory: holds the embedded servers and the first API key.' }),
  FANFARE_API_KEY: z
    .string()
    .min(20, 'must have at least 20 characters')
    .optional()
    .meta({ description: 'First API key. Default: the first start creates one.' }),
  FANFARE_VAULT_KEYS: text(
    'Keys that seal stored secrets: `<id>:<base64 of 32 bytes>`, separated by commas. The first one seals. Default: the first start creates one in the data directory.',
  ),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })
    .optional()
    .meta({ description: 'URL of Postgres. Default: an embedded server.' }),
  FANFARE_DATABASE_TIMEOUT_MS: number(
    'Timeout of a query, in milliseconds. After a timeout, the connection is replaced.',
    defaultQueryTimeoutMs,
    100,
    600_000,
  ),
  FANFARE_DATABASE_CONNECTIONS: number(
    'Maximum number of Postgres connections per process.',
    20,
    2,
    500,
  ),
  TEMPORAL_ADDRESS: text('Temporal, as host:port. Default: an embedded development server.'),
  TEMPORAL_NAMESPACE: z.string().default('default').meta({ description: 'Namespace in Temporal.' }),
  TEMPORAL_API_KEY: text('API key of Temporal Cloud.'),
  TEMPORAL_TLS_CERT: text('Path of the client certificate, for mTLS.'),
  TEMPORAL_TLS_KEY: text('Path of the key of the client certificate, for mTLS.'),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .default('fanfare')
    .meta({ description: 'Task queue in Temporal.' }),
  TEMPORAL_BUILD_ID: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must have only letters, digits, - and _, and at most 100 of them')
    .optional()
    .meta({
      description:
        "Build of this worker for Temporal's worker versioning: a workflow then ends on the build that began it. Default: no versioning.",
    }),
  TEMPORAL_UI_URL: url(
    "URL of Temporal's web page, for links. Default: the page of the embedded server.",
  ),
  TEMPORAL_CLI: text('Path of a `temporal` executable for the embedded server.'),
  FANFARE_CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(/[\s,]+/).filter(Boolean))
    .refine(areOrigins, 'must be origins such as https://app.example.com, separated by commas')
    .optional()
    .meta({
      description:
        'Origins whose pages may call the API from a browser, separated by commas. Default: none.',
    }),
  FANFARE_ALLOW_PRIVATE_CIDRS: text(
    'Private address ranges that Fanfare may connect to, separated by commas.',
  ),
  FANFARE_DNS_SERVERS: z
    .string()
    .transform((list) => list.split(/[\s,]+/).filter(Boolean))
    .refine(areNameServers, 'must be addresses, with or without a port, separated by commas')
    .optional()
    .meta({
      description:
        "DNS servers for the hosts of webhooks and networks: `<address>` or `<address>:<port>`, separated by commas. Default: the system's servers.",
    }),
  FANFARE_PREVIEW_EVENTS: flag(
    'Send events of types that are announced but not yet released.',
    false,
  ),
  FANFARE_SANDBOX: developmentFlag(
    'Turn on the built-in sandbox network. Anyone who reaches the API can post to it.',
  ),
  FANFARE_MIN_SCHEDULE_AHEAD_S: number('Minimum seconds between now and a scheduled time.', 60),
  FANFARE_MONTHLY_POSTS_PER_ACCOUNT: number(
    'Maximum number of published targets per account and month, unless its project sets another limit. 0 means no limit.',
    1_000,
  ),
  FANFARE_MAX_TARGETS: number('Maximum number of targets per post.', 25, 1, 1000),
  FANFARE_MAX_WEBHOOKS: number('Maximum number of webhooks per project.', 50, 1),
  FANFARE_MAX_STREAMS_PER_PROJECT: number(
    'Maximum number of open live streams per project and server.',
    1_000,
    1,
  ),
  FANFARE_MAX_SOCKETS: number('Maximum number of open GraphQL sockets per server.', 10_000, 1),
  FANFARE_MAX_SOCKETS_PER_PROJECT: number(
    'Maximum number of open GraphQL sockets per project and server.',
    1_000,
    1,
  ),
  FANFARE_SOCKET_PING_MS: number(
    'Milliseconds between pings of a socket. A socket that misses a ping is closed.',
    12_000,
    100,
  ),
  FANFARE_SOCKET_IDLE_MS: number(
    'Milliseconds after which a socket without operations is closed.',
    600_000,
    1_000,
  ),
  FANFARE_STALLED_MS: number(
    'Milliseconds after which a connection is closed if the client reads nothing of its answer, or of its stream of server-sent events.',
    30_000,
    1_000,
  ),
  FANFARE_MAX_BODY_BYTES: number(
    'Maximum size of a request body, in bytes. A request for several posts may have eight times as much.',
    524_288,
    1024,
  ),
  FANFARE_MEDIA_URL: text(
    'Store of images, videos and documents: `file:///<folder>`, or `s3://<bucket>[/<prefix>]?region=<region>[&endpoint=<URL>][&path_style=true]`. Default: `media` in the data directory for `start`, and none for `api` and `worker`.',
  ),
  FANFARE_MEDIA_MAX_BYTES: number(
    'Maximum size of an image, a video or a document, in bytes.',
    536_870_912,
    1,
  ),
  FANFARE_MEDIA_PROJECT_MAX_BYTES: number(
    "Maximum size of all of a project's images, videos and documents, in bytes.",
    10_737_418_240,
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  FANFARE_RATE_LIMIT_PER_MINUTE: number(
    'Maximum number of requests per project and minute. 0 means no limit.',
    6000,
  ),
  FANFARE_DELIVERY_DELAYS_MS: delays(
    'Milliseconds before each retry of a delivery, separated by commas.',
    defaultDeliveryDelaysMs,
  ),
  FANFARE_DELIVERY_TIMEOUT_MS: number(
    'Timeout of a delivery request, in milliseconds.',
    10_000,
    100,
    10_000,
  ),
  FANFARE_DELIVERIES_PER_ENDPOINT: number(
    'Maximum number of parallel requests of one project to one endpoint.',
    20,
    1,
    1000,
  ),
  FANFARE_DISABLE_AFTER_FAILURES: number(
    'Number of consecutive failed events after which a webhook is disabled.',
    5,
    1,
    100,
  ),
  FANFARE_DISABLE_AFTER_S: number(
    'Seconds without a successful delivery before a webhook can be disabled.',
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
  FANFARE_DISCONNECTED_RETENTION_DAYS: number(
    'Days after which the name, user and IDs of a disconnected account are erased, with its events and the answers of its network.',
    30,
    0,
    3_650,
  ),
  FANFARE_BOOKMARK_MS: number(
    'Milliseconds between new cursors on an idle stream.',
    1_200_000,
    1_000,
  ),
  FANFARE_FEED_RETENTION_HOURS: number(
    'Hours for which a live stream can resume from its cursor.',
    24,
    1,
    8_760,
  ),
  FANFARE_UNAVAILABLE_DELAYS_MS: delays(
    'Milliseconds before each retry of a target that the network has not accepted, separated by commas.',
    defaultTargetClock.unavailableDelaysMs,
  ),
  FANFARE_RECONCILE_DELAYS_MS: delays(
    'Milliseconds before each check for a post with an unknown outcome, separated by commas.',
    defaultTargetClock.reconcileDelaysMs,
  ),
  FANFARE_SWEEP_EVERY_S: number('Seconds between searches for lost work.', 60, 1),
  FANFARE_SWEEP_OVERDUE_S: number('Seconds after which overdue work counts as lost.', 300, 1),
  FANFARE_LOG_LEVEL: z
    .enum(logLevels, `must be one of ${logLevels.join(', ')}`)
    .default('info')
    .meta({ description: 'Minimum level of log lines.' }),
  FANFARE_INTROSPECTION: developmentFlag('Allow GraphQL introspection.'),
  FANFARE_GRAPHIQL: developmentFlag('Show GraphiQL to browsers at /graphql.'),
  FANFARE_DASHBOARD: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .meta({ description: 'Serve the dashboard at /dashboard: on or off.' }),
  FANFARE_PERSISTED_DOCUMENTS: text(
    'JSON file with GraphQL documents that clients can request by ID: `{"<id>": "<document>"}`, or a manifest from Apollo.',
  ),
  FANFARE_PERSISTED_ONLY: flag('Refuse other GraphQL documents.', false),
});

/** All variables. The variables of a network come from its definition. */
export const Environment = CommonVariables.extend(platformVariables) as typeof CommonVariables;
