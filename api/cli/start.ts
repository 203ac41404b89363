// Runs Fanfare in this process: embedded backends where none are configured, then the chosen roles.
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Config } from '../../schema/config/config.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import type { Db } from '../../schema/database/tables.ts';
import { isMigrated, migrate } from '../../schema/database/migrate.ts';
import { checkVault } from '../../schema/database/vault-check.ts';
import { createApp, type App, type AppOptions } from '../server/app.ts';
import { startEmbeddedBackends } from '../embedded/backends.ts';
import { makeDataDirectory, refuseHeldDirectory } from '../embedded/data-directory.ts';
import { createStoredDocuments } from '../graphql/server/stored-documents.ts';
import { openFirstProject } from './first-start.ts';
import { requirePort } from '../server/port.ts';
import { openVault } from './vault-keys.ts';
import { welcome } from './welcome.ts';

export interface Running {
  app: App;
  stop(): Promise<void>;
}

export interface StartOptions {
  print: (line: string) => void;
  /** Called when a backend is lost for good. */
  fail: (reason: string) => void;
  /** Ends a start that is under way, such as a long download. */
  signal: AbortSignal;
}

/** All in one, for a first look and for development. */
export async function startAllInOne(
  config: Config,
  { print, fail, signal }: StartOptions,
): Promise<Running> {
  quietTemporal();
  // Before anything is started, since its faults are told by it.
  const documents = createStoredDocuments(config.storedDocuments);
  makeDataDirectory(config.dataDirectory);
  // A second start has taken the same port too, but that isn't what its user must know.
  await refuseHeldDirectory(config.dataDirectory);
  await requirePort(config.port, config.host);
  const backends = await startEmbeddedBackends({
    dataDirectory: config.dataDirectory,
    postgres: config.databaseUrl === undefined,
    temporal: config.temporal.address === undefined,
    ...(config.temporal.cli === undefined ? {} : { temporalCli: config.temporal.cli }),
    progress: print,
    signal,
  });
  let app: App | undefined;
  try {
    backends.onExit((name, detail) => fail(`${name} has ended: ${detail}`));
    const databaseUrl = config.databaseUrl ?? backends.databaseUrl!;
    const ran = await migrateDatabase(databaseUrl);
    if (ran.length > 0) print(`Migrated the database (${ran.join(', ')}).`);
    const vault = await openVault(config);
    await withDatabase(databaseUrl, (db) => checkVault(db, vault));
    app = await createApp({
      config,
      documents,
      databaseUrl,
      temporalAddress: config.temporal.address ?? backends.temporalAddress!,
      temporalUiUrl: backends.temporalUiUrl,
      vault,
      roles: { api: true, worker: true },
      cacheDirectory: join(config.dataDirectory, 'cache'),
    });
    signal.throwIfAborted();
    const { key, accountIds } = await openFirstProject(app.context, print);
    await Promise.race([app.workerReady, aborted(signal)]);
    const { publicUrl: url, temporalUiUrl } = app.context;
    const { hasGraphiql } = config;
    print(`\n${welcome({ url, key, accountIds, temporalUiUrl, hasGraphiql })}`);
    const running = app;
    return {
      app,
      async stop() {
        await running.stop();
        await backends.stop();
      },
    };
  } catch (error) {
    await app?.stop();
    await backends.stop();
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** One role of a larger installation, on backends that others run. */
export async function startRole(config: Config, roles: AppOptions['roles']): Promise<Running> {
  quietTemporal();
  const { databaseUrl } = config;
  const { address } = config.temporal;
  if (databaseUrl === undefined || address === undefined) {
    throw new Error('This command needs DATABASE_URL and TEMPORAL_ADDRESS.');
  }
  const documents = createStoredDocuments(config.storedDocuments);
  if (roles.api) await requirePort(config.port, config.host);
  else await requirePort(config.workerPort, config.host, 'FANFARE_WORKER_PORT');
  const vault = await openVault(config);
  await withDatabase(databaseUrl, async (db) => {
    await requireMigrated(db);
    await checkVault(db, vault);
  });
  const app = await createApp({
    config,
    documents,
    databaseUrl,
    temporalAddress: address,
    temporalUiUrl: undefined,
    vault,
    roles,
    cacheDirectory: join(config.dataDirectory, 'cache'),
  });
  return { app, stop: () => app.stop() };
}

export function migrateDatabase(url: string): Promise<string[]> {
  return withDatabase(url, migrate);
}

async function requireMigrated(db: Db): Promise<void> {
  if (await isMigrated(db)) return;
  throw new Error('The database is not migrated. Run the command `migrate` first.');
}

/** On a connection of its own, without a time limit. */
async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const connection = connectDatabase({
    url,
    maxConnections: 2,
    applicationName: 'fanfare start',
    transactionTimeoutS: 0,
  });
  try {
    return await work(connection.db);
  } finally {
    await connection.close();
  }
}

/** Temporal's own signal handlers would race ours, and its log would be most of the output. */
function quietTemporal(): void {
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') });
}
