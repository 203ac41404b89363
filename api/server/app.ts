// The composition root: builds a running Fanfare from the configuration and two addresses.
import type { Logger } from 'pino';
import { openStore } from '../../activities/media/store/open.ts';
import { createImages } from '../../activities/media/images/images.ts';
import { createVideoReader } from '../../activities/media/videos.ts';
import type { Platforms } from '../../activities/platforms/index.ts';
import { createPublicUrls } from '../../activities/platforms/public-urls.ts';
import { createPendingRefreshes } from '../../activities/logins/pending-refreshes.ts';
import type { MediaStorage } from '../../activities/media/store/store.ts';
import { createKeyedLimit } from '../../activities/keyed-limits.ts';
import { within } from '../../activities/within.ts';
import type { Config } from '../../schema/config/config.ts';
import { hasActiveSandboxAccount } from '../../schema/database/accounts/accounts.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import { createNotifier } from '../../schema/database/notifier.ts';
import { createListener } from '../../schema/database/live/listen.ts';
import type { Vault } from '../../schema/database/vault.ts';
import { version } from '../../schema/version.ts';
import { createConnectRoutes } from '../connect/routes.ts';
import { createDashboardRoutes } from '../dashboard/routes.ts';
import { createHealth, type ProcessContext } from './health.ts';
import { home } from './home.ts';
import { createConnectionTurns } from '../http/connection-turns.ts';
import { createInboundRoutes } from '../inbound/routes.ts';
import { createMcpEndpoint } from '../mcp/endpoint.ts';
import { createBrandRoutes } from '../projects/brand-routes.ts';
import { createSharedCalls } from '../http/shared-calls.ts';
import { createFeed } from '../live/feed.ts';
import { createOutbound } from './outbound.ts';
import { holdPort } from './ports.ts';
import { createProbeServer } from './probe-server.ts';
import { createRest } from './rest.ts';
import { createShareRoutes } from '../share/routes.ts';
import { createSandbox } from '../sandbox/server.ts';
import { createServer } from './server.ts';
import type { StoredDocuments } from '../graphql/server/stored-documents.ts';
import { createTemporalClient } from './temporal-connection.ts';
import { runWorker, type KeptWorker } from './keep-worker.ts';
import type { TemporalRuntime } from './temporal-runtime.ts';

export interface AppOptions {
  config: Config;
  documents: StoredDocuments;
  databaseUrl: string;
  temporalAddress: string;
  /** URL of Temporal's web page, for links. */
  temporalUiUrl: string | undefined;
  vault: Vault;
  /** The process is not ready before this API key exists. Undefined: the process waits for no key. */
  firstKey?: string | undefined;
  /** URL as in FANFARE_MEDIA_URL. Undefined: this process has no store of media. */
  mediaUrl: string | undefined;
  roles: { api: boolean; worker: boolean };
  /** Folder that keeps the workflow bundle between starts. */
  cacheDirectory: string;
  log: Logger;
  /** Runtime of a process with a worker. Default: the SDK's own runtime. */
  temporalRuntime?: TemporalRuntime;
}

export interface App {
  readonly context: ProcessContext;
  /** URL at which this process answers probes and metrics. */
  readonly probesUrl: string;
  /** Resolves when the worker polls, or at once if this process has no worker. */
  readonly workerReady: Promise<void>;
  stop(): Promise<void>;
}

export async function createApp(options: AppOptions): Promise<App> {
  const { config, databaseUrl, vault, roles, temporalAddress, log } = options;
  // The URLs need the port before the server exists, so the port is held until then.
  const held = config.port === 0 && roles.api ? await holdPort(config.host) : undefined;
  const port = held?.port ?? config.port;
  const publicUrl = config.publicUrl ?? `http://${urlHost(config.host)}:${port}`;
  const mediaUrl = config.mediaPublicUrl ?? publicUrl;
  const database = connectDatabase({
    url: databaseUrl,
    maxConnections: config.databaseConnections,
    applicationName: 'fanfare',
    queryTimeoutMs: config.databaseTimeoutMs,
    inTurn: createConnectionTurns(config.databaseConnections),
  });
  const notifier = createNotifier(databaseUrl, config.databaseTimeoutMs);
  const listener = createListener(databaseUrl, config.databaseTimeoutMs);
  const { guard, safeFetch, platforms } = createOutbound(config, port, publicUrl, mediaUrl);
  const { db } = database;
  if (!config.hasSandbox && (await hasActiveSandboxAccount(db))) {
    log.warn(
      { component: 'process' },
      'the sandbox is off, so posts to its accounts fail; set FANFARE_SANDBOX=true to turn it on',
    );
  }
  warnOfShortChecks(log, config);
  reportWithoutMedia(log, platforms);
  const role = roles.api && roles.worker ? 'start' : roles.api ? 'api' : 'worker';
  const refreshes = createPendingRefreshes(log);
  let worker: KeptWorker | undefined;
  const context: ProcessContext = {
    config,
    publicUrl,
    temporalUiUrl: options.temporalUiUrl ?? config.temporal.uiUrl,
    db,
    notifier,
    feed: createFeed({
      db,
      listener,
      log,
      maxStreamsPerProject: config.maxStreamsPerProject,
      bookmarkEveryMs: config.bookmarkEveryMs,
      awayMs: config.databaseTimeoutMs / 2,
    }),
    health: createHealth({
      role,
      config,
      databaseUrl,
      database,
      firstKey: options.firstKey,
      connectTemporal: () => createTemporalClient({ address: temporalAddress, config }),
      ...(roles.worker ? { isWorkerRunning: () => worker?.isRunning() ?? false } : {}),
    }),
    vault,
    guard,
    platforms,
    refreshes,
    shareCall: createSharedCalls(),
    scanInTurn: createKeyedLimit(scansAtOnce),
    pool: database.pool,
    temporalRuntime: options.temporalRuntime,
    publicUrls: createPublicUrls(vault, mediaUrl),
    media: await openMedia(options.mediaUrl, config.media),
    log,
  };
  const rest = roles.api ? createRest(context) : undefined;
  const server = rest
    ? createServer(context, {
        documents: options.documents,
        rest,
        mcp: createMcpEndpoint(context, rest),
        connect: createConnectRoutes(context),
        share: createShareRoutes(context),
        inbound: createInboundRoutes(context),
        ...(config.hasDashboard ? { dashboard: createDashboardRoutes(context) } : {}),
        brand: createBrandRoutes(context),
        ...(config.hasSandbox ? { sandbox: createSandbox(context) } : {}),
        home: () => home(context),
      })
    : undefined;
  await server?.listen(held?.server ?? port, config.host);
  const probes = roles.api ? undefined : createProbeServer(context);
  const probePort = await probes?.listen(config.workerPort, config.host);
  if (roles.worker) {
    const { cacheDirectory } = options;
    const workerOptions = { address: temporalAddress, listener, safeFetch, cacheDirectory };
    worker = await runWorker(context, workerOptions);
  }
  const workerReady = worker?.ready ?? Promise.resolve();
  const probesUrl = probes ? `http://${urlHost(config.host)}:${probePort}` : publicUrl;
  const up = {
    role,
    version,
    url: probesUrl,
    database: new URL(databaseUrl).host,
    temporal: `${temporalAddress}/${config.temporal.namespace}`,
    media: options.mediaUrl === undefined ? null : new URL(options.mediaUrl).protocol.slice(0, -1),
    networks: [...platforms.keys()],
  };
  void workerReady.then(() => log.info({ component: 'process', ...up }, 'up'));
  return {
    context,
    workerReady,
    probesUrl,
    async stop() {
      context.health.stop();
      const untilMs = performance.now() + settleWithinMs;
      const stopping = stopInOrder(log, [
        () => server?.close(),
        () => worker?.stop(),
        () => refreshes.settle(untilMs - performance.now()),
        () => probes?.close(),
        () => context.feed.close(),
        () => context.media?.images.close(),
        () => safeFetch.close(),
        () => listener.close(),
        () => notifier.close(),
        () => database.close(),
      ]);
      const hasStopped = await within(
        stopWithinMs,
        stopping.then(() => true),
      );
      if (!hasStopped)
        log.warn(
          { component: 'process', timeout_ms: stopWithinMs },
          'some parts did not stop in time',
        );
    },
  };
}

/** More at once would keep Postgres and this thread from other projects, and would be no faster. */
const scansAtOnce = 2;

/** A proxy may hold the call that publishes a post for about this long. */
const shortChecksMs = 60_000;

function warnOfShortChecks(log: Logger, { targetClock: { reconcileDelaysMs } }: Config): void {
  const checksMs = reconcileDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0);
  if (checksMs >= shortChecksMs) return;
  log.warn(
    { component: 'process', checks_ms: checksMs },
    'FANFARE_RECONCILE_DELAYS_MS lasts less than 60 s in all, so a commit that arrives later may be published twice',
  );
}

/** Logged as information, because it is usual on a developer's machine. */
function reportWithoutMedia(log: Logger, { withoutMedia = [] }: Platforms): void {
  if (withoutMedia.length === 0) return;
  log.info(
    { component: 'process', networks: withoutMedia },
    'these networks are off, since they fetch media; set FANFARE_MEDIA_PUBLIC_URL to a public https address',
  );
}

async function openMedia(
  url: string | undefined,
  { maxBytes, projectMaxBytes }: Config['media'],
): Promise<MediaStorage | undefined> {
  if (url === undefined) return undefined;
  const readers = { images: createImages(), readVideo: createVideoReader() };
  return { store: await openStore(url), ...readers, maxBytes, projectMaxBytes };
}

/**
 * Below the 30 s that a container gets to stop. Without a limit, a part may wait longer for a silent server.
 */
const stopWithinMs = 25_000;
/** Shorter than `stopWithinMs`, so that lost credentials are logged before the process ends. */
const settleWithinMs = 22_000;

/** A step that fails doesn't keep the others from stopping. */
async function stopInOrder(log: Logger, steps: (() => Promise<void> | undefined)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.warn({ component: 'process', err: error }, 'part failed to stop');
    }
  }
}

/** Replaces an address that stands for all addresses of the machine. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
