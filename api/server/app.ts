// The composition root: from the configuration and two addresses to a running Fanfare.
import pino, { type Logger } from 'pino';
import { createDeliveryRecorder } from '../../activities/delivering/recorder.ts';
import { createDns } from '../../activities/egress/dns.ts';
import { currentOwner } from '../../activities/egress/guarded-fetch.ts';
import { createInHand } from '../../activities/delivering/in-flight.ts';
import { connectPlatforms, createPlatforms } from '../../activities/platforms/index.ts';
import { createSandboxPlatform } from '../../activities/platforms/sandbox/index.ts';
import { createSafeFetch } from '../../activities/egress/client.ts';
import { createUrlGuard } from '../../activities/egress/url-guard.ts';
import { within } from '../../activities/within.ts';
import { createWebhookHealth } from '../../activities/delivering/webhook-health.ts';
import type { Config } from '../../schema/config/config.ts';
import { hasActiveSandboxAccount } from '../../schema/database/accounts/accounts.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import { startDatabaseClock } from '../../schema/database/database-clock.ts';
import { createNotifier } from '../../schema/database/live/notifier.ts';
import { createListener } from '../../schema/database/live/listen.ts';
import type { Vault } from '../../schema/database/vault.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import { maxBatchSize } from '../../schema/workflows.ts';
import { createConnectRoutes } from '../connect/routes.ts';
import type { Context } from './context.ts';
import { createHealth } from './health.ts';
import { home } from './home.ts';
import { createFeed } from '../live/feed.ts';
import { freePort } from './port.ts';
import { createProbeServer } from './probe-server.ts';
import { createRest } from '../http/rest.ts';
import { createSandbox } from '../sandbox/server.ts';
import { createServer } from './server.ts';
import type { StoredDocuments } from '../graphql/server/stored-documents.ts';
import { createTemporalClient } from './temporal-connection.ts';
import { keepWorker } from './keep-worker.ts';

export interface AppOptions {
  config: Config;
  documents: StoredDocuments;
  databaseUrl: string;
  temporalAddress: string;
  /** Temporal's web page, for links. */
  temporalUiUrl: string | undefined;
  vault: Vault;
  roles: { api: boolean; worker: boolean };
  /** Where the workflow bundle is kept between starts. */
  cacheDirectory: string;
  log?: Logger;
}

export interface App {
  readonly context: Context;
  /** Where this process answers probes and metrics. */
  readonly probesUrl: string;
  /** Resolves when the worker polls; at once where there is none. */
  readonly workerReady: Promise<void>;
  stop(): Promise<void>;
}

export async function createApp(options: AppOptions): Promise<App> {
  const { config, databaseUrl, vault, roles, temporalAddress } = options;
  const log = options.log ?? pino({ level: config.logLevel }, pino.destination(2));
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const publicUrl = config.publicUrl ?? `http://${urlHost(config.host)}:${port}`;
  const database = connectDatabase({
    url: databaseUrl,
    maxConnections: config.databaseConnections,
    applicationName: 'fanfare',
    queryTimeoutMs: config.databaseTimeoutMs,
  });
  const notifier = createNotifier(databaseUrl, config.databaseTimeoutMs);
  const listener = createListener(databaseUrl, config.databaseTimeoutMs);
  const dns = createDns({ servers: config.dnsServers });
  const guard = createUrlGuard({
    allowPrivateCidrs: config.allowPrivateCidrs,
    lookup: dns.addresses,
  });
  const safeFetch = createSafeFetch({
    guard,
    connectionsPerOrigin: config.deliveriesPerEndpoint,
    fetchDeadlineMs: 30_000,
  });
  const sandboxUrl = config.platforms.sandbox.apiUrl ?? `http://127.0.0.1:${port}/sandbox`;
  const platforms = createPlatforms([
    ...(config.hasSandbox
      ? [createSandboxPlatform({ fetch, apiUrl: sandboxUrl, publicUrl: `${publicUrl}/sandbox` })]
      : []),
    ...connectPlatforms(config.platforms, {
      fetch: safeFetch.fetch,
      withWebSocket: safeFetch.withWebSocket,
      lookUpTxt: (name) => dns.texts(name, currentOwner()),
    }),
  ]);
  const { db } = database;
  if (!config.hasSandbox && (await hasActiveSandboxAccount(db))) {
    log.warn(
      'The database has sandbox accounts, but the sandbox is off: their posts fail. Set FANFARE_SANDBOX=true to turn it on.',
    );
  }
  let worker: ReturnType<typeof keepWorker> | undefined;
  const context: Context = {
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
      role: roles.api && roles.worker ? 'start' : roles.api ? 'api' : 'worker',
      config,
      databaseUrl,
      database,
      connectTemporal: () => createTemporalClient({ address: temporalAddress, config }),
      ...(roles.worker ? { isWorkerRunning: () => worker?.isRunning() ?? false } : {}),
    }),
    vault,
    guard,
    platforms,
    log,
  };
  const server = roles.api
    ? createServer(context, {
        documents: options.documents,
        rest: createRest(context),
        connect: createConnectRoutes(context),
        ...(config.hasSandbox ? { sandbox: createSandbox(context) } : {}),
        home: () => home(context),
      })
    : undefined;
  await server?.listen(port, config.host);
  const probes = roles.api ? undefined : createProbeServer(context);
  const probePort = await probes?.listen(config.workerPort, config.host);
  const health = createWebhookHealth({ db, notifier, log, rule: config.disabling });
  const clock = roles.worker ? await startDatabaseClock(db) : undefined;
  worker = roles.worker
    ? keepWorker({
        ...context,
        address: temporalAddress,
        listener,
        safeFetch,
        // As many at least as there are connections to one endpoint, or these would stand idle.
        inHand: createInHand(Math.max(maxBatchSize, config.deliveriesPerEndpoint)),
        recorder: createDeliveryRecorder(db, notifier, health.follow),
        clock: config.targetClock,
        postsPerMinute: postsPerMinuteOf(config),
        delaysMs: config.deliveryDelaysMs,
        timeoutMs: config.deliveryTimeoutMs,
        now: clock!.now,
        previewEvents: config.previewEvents,
        cacheDirectory: options.cacheDirectory,
      })
    : undefined;
  return {
    context,
    workerReady: worker?.ready ?? Promise.resolve(),
    probesUrl: probes ? `http://${urlHost(config.host)}:${probePort}` : publicUrl,
    async stop() {
      context.health.stop();
      const stopping = stopInOrder(log, [
        () => server?.close(),
        () => worker?.stop(),
        () => probes?.close(),
        () => health.settled(),
        () => context.feed.close(),
        () => safeFetch.close(),
        () => listener.close(),
        () => notifier.close(),
        async () => clock?.stop(),
        () => database.close(),
      ]);
      const hasStopped = await within(
        stopWithinMs,
        stopping.then(() => true),
      );
      if (!hasStopped) log.warn(`Some parts did not stop within ${stopWithinMs / 1_000} s.`);
    },
  };
}

function postsPerMinuteOf({ platforms }: Config): Partial<Record<PlatformName, number>> {
  const ceilings = Object.entries(platforms).map(([name, settings]) => [
    name,
    settings.postsPerMinute,
  ]);
  return Object.fromEntries(ceilings) as Partial<Record<PlatformName, number>>;
}

/** Below the 30 s that a container gets. Parts may wait longer for backends that don't answer. */
const stopWithinMs = 25_000;

/** One that fails must not keep the others from stopping. */
async function stopInOrder(log: Logger, steps: (() => Promise<void> | undefined)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.warn({ err: error }, 'A part of the program did not stop well.');
    }
  }
}

/** An address that clients can use in place of "every address". */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
