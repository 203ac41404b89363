// The configuration: one object, read from the environment once. All issues are reported together.
import { parseCidrs } from './cidrs.ts';
import { findCrossIssues, type Role } from './cross-checks.ts';
import { Environment } from './environment.ts';
import { readPlatformSettings } from '../platforms/index.ts';
import { defaultTargetClock } from '../retry.ts';

export type Config = Readonly<ReturnType<typeof readConfig>>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly issues: string[];

  constructor(issues: string[]) {
    super(`The configuration is invalid:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.issues = issues;
  }
}

/** Pure. An empty variable counts as unset. Throws a ConfigError that lists every issue. */
export function readConfig(env: Record<string, string | undefined>, role: Role = 'start') {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(set);
  const issues: string[] = (parsed.error?.issues ?? []).map(
    (issue) => `${issue.path.join('.')}: ${issue.message}`,
  );
  issues.push(...unknownVariables(set), ...findCrossIssues(set, parsed.data, role));
  if (!parsed.success || issues.length > 0) throw new ConfigError(issues);
  const e = parsed.data;
  return deepFreeze({
    port: e.FANFARE_PORT,
    workerPort: e.FANFARE_WORKER_PORT,
    host: e.FANFARE_HOST,
    publicUrl: e.FANFARE_PUBLIC_URL?.replace(/\/+$/, ''),
    clientUrl: e.FANFARE_URL?.replace(/\/+$/, ''),
    mediaPublicUrl: e.FANFARE_MEDIA_PUBLIC_URL?.replace(/\/+$/, ''),
    dataDirectory: e.FANFARE_DATA_DIR,
    databaseUrl: e.DATABASE_URL,
    databaseTimeoutMs: e.FANFARE_DATABASE_TIMEOUT_MS,
    databaseConnections: e.FANFARE_DATABASE_CONNECTIONS,
    temporal: {
      address: e.TEMPORAL_ADDRESS,
      namespace: e.TEMPORAL_NAMESPACE,
      taskQueue: e.TEMPORAL_TASK_QUEUE,
      buildId: e.TEMPORAL_BUILD_ID,
      uiUrl: e.TEMPORAL_UI_URL,
      cli: e.TEMPORAL_CLI,
      tlsCertPath: e.TEMPORAL_TLS_CERT,
      tlsKeyPath: e.TEMPORAL_TLS_KEY,
    },
    secrets: {
      apiKey: e.FANFARE_API_KEY,
      temporalApiKey: e.TEMPORAL_API_KEY,
      metricsToken: e.FANFARE_METRICS_TOKEN,
      vaultKeys: e.FANFARE_VAULT_KEYS,
    },
    corsOrigins: e.FANFARE_CORS_ORIGINS ?? [],
    allowPrivateCidrs: parseCidrs(e.FANFARE_ALLOW_PRIVATE_CIDRS ?? '').cidrs,
    dnsServers: e.FANFARE_DNS_SERVERS ?? [],
    previewEvents: e.FANFARE_PREVIEW_EVENTS,
    hasSandbox: isOn(e.FANFARE_SANDBOX, e),
    platforms: readPlatformSettings(e),
    minScheduleAheadS: e.FANFARE_MIN_SCHEDULE_AHEAD_S,
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
    bookmarkEveryMs: e.FANFARE_BOOKMARK_MS,
    stalledMs: e.FANFARE_STALLED_MS,
    maxBodyBytes: e.FANFARE_MAX_BODY_BYTES,
    media: {
      url: e.FANFARE_MEDIA_URL,
      maxBytes: e.FANFARE_MEDIA_MAX_BYTES,
      projectMaxBytes: e.FANFARE_MEDIA_PROJECT_MAX_BYTES,
    },
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
      postsMs: e.FANFARE_POST_RETENTION_DAYS * 86_400_000,
      disconnectedMs: e.FANFARE_DISCONNECTED_RETENTION_DAYS * 86_400_000,
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
    hasIntrospection: isOn(e.FANFARE_INTROSPECTION, e),
    hasGraphiql: isOn(e.FANFARE_GRAPHIQL, e),
    hasDashboard: e.FANFARE_DASHBOARD === 'on',
    storedDocuments: {
      path: e.FANFARE_PERSISTED_DOCUMENTS,
      isOnly: e.FANFARE_PERSISTED_ONLY,
    },
  });
}

/** Refuses misspelled variables, which would have no effect. */
function unknownVariables(env: Record<string, string | undefined>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('FANFARE_') && !(name in Environment.shape))
    .map((name) => `${name}: is not a variable of Fanfare`);
}

/** Features for development are on by default only without DATABASE_URL. */
function isOn(given: 'true' | 'false' | undefined, e: { DATABASE_URL?: string | undefined }) {
  return given === undefined ? e.DATABASE_URL === undefined : given === 'true';
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
