// A whole Fanfare in the test's process: server, worker and relay on a database and a namespace of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { inject } from 'vitest';
import { createApp, type AppOptions } from '../../../api/server/app.ts';
import { createLog } from '../../../api/server/log.ts';
import type { ProcessContext } from '../../../api/server/health.ts';
import { createStoredDocuments } from '../../../api/graphql/server/stored-documents.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { storeOperatorApps } from '../../../schema/database/accounts/apps.ts';
import { createVault } from '../../../schema/database/vault.ts';
import { forFile } from '../fixtures.ts';
import { markFolder } from '../media/marked-folder.ts';
import type { Api } from './api.ts';
import { createTestDatabase, type TestDatabase } from '../rows/database.ts';
import { installQuietRuntime } from '../servers/quiet-runtime.ts';
import { createTenant, type Tenant } from './seed.ts';
import { createTestNamespace, type TestNamespace } from '../servers/temporal.ts';

export interface TestAppOptions {
  /** Variables of the configuration, as the program would find them. */
  env?: Record<string, string>;
  roles?: AppOptions['roles'];
  /**
   * For several apps on one database, at the same time or one after the other. The test drops the database
   * and the namespace that it gives to them.
   */
  database?: TestDatabase;
  namespace?: TestNamespace;
  /** An address without a Temporal server. The app starts without Temporal. */
  temporalAddress?: string;
  vaultKey?: Buffer;
  /** Default: a logger that writes errors to stderr. */
  log?: Logger;
}

export interface TestApp extends AsyncDisposable {
  readonly context: ProcessContext;
  readonly url: string;
  /** Where the app answers probes and metrics. */
  readonly probesUrl: string;
  readonly database: TestDatabase;
  readonly namespace: TestNamespace;
  /** A project with a key that has every right. */
  readonly tenant: Tenant;
  /** Calls with the tenant's key. */
  readonly api: Api;
  /** Creates another project, whose data the tenant must not see. */
  createTenant(name?: string): Promise<Tenant>;
  stop(): Promise<void>;
}

export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  installQuietRuntime();
  const roles = options.roles ?? { api: true, worker: true };
  const [database, namespace] = await Promise.all([
    options.database ?? createTestDatabase(),
    options.namespace ?? createTestNamespace(),
  ]);
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-app-'));
  const mediaFolder = join(directory, 'media');
  markFolder(mediaFolder);
  const config = readConfig({
    FANFARE_PORT: '0',
    FANFARE_WORKER_PORT: '0',
    FANFARE_DATA_DIR: directory,
    FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8,::1/128',
    FANFARE_RATE_LIMIT_PER_MINUTE: '0',
    FANFARE_LOG_LEVEL: 'error',
    FANFARE_DATABASE_CONNECTIONS: '10',
    FANFARE_MIN_SCHEDULE_AHEAD_S: '1',
    // This URL turns every network on. Nothing fetches media from it.
    FANFARE_MEDIA_PUBLIC_URL: 'https://media.fanfare.test',
    TEMPORAL_NAMESPACE: namespace.namespace,
    ...options.env,
  });
  const app = await createApp({
    config,
    documents: createStoredDocuments(config.storedDocuments),
    databaseUrl: database.url,
    temporalAddress: options.temporalAddress ?? namespace.address,
    temporalUiUrl: undefined,
    vault: createVault(new Map([['test', options.vaultKey ?? testVaultKey]]), 'test'),
    mediaUrl: config.media.url ?? pathToFileURL(mediaFolder).href,
    roles,
    cacheDirectory: inject('cacheDirectory'),
    log: options.log ?? createLog(config),
  });
  if (options.temporalAddress === undefined) await app.workerReady;
  const { context } = app;
  // `start` also does this before it starts the server.
  await storeOperatorApps(context.db, context.vault, config.platforms);
  const tenant = await createTenant(context);
  let isStopped = false;

  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    await app.stop();
    if (!options.namespace) await namespace.close();
    if (!options.database) await database.drop();
    rmSync(directory, { recursive: true, force: true });
  }
  return {
    context,
    url: context.publicUrl,
    probesUrl: app.probesUrl,
    database,
    namespace,
    tenant,
    api: tenant.api,
    createTenant: (name) => createTenant(context, name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** An app for one test file. */
export const useApp = (options?: TestAppOptions) => forFile(() => startApp(options));

/** All apps of the process use this key, so that an app can open what an earlier app has sealed. */
const testVaultKey = randomBytes(32);
