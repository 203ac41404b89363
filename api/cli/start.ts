// The commands `start`, `api` and `worker`: run Fanfare in this process until it is stopped.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { checkMediaFolder, prepareMediaFolder } from '../../activities/media/store/marker.ts';
import type { Config } from '../../schema/config/config.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import type { Db } from '../../schema/database/tables.ts';
import { isMigrated, migrate } from '../../schema/database/migrate.ts';
import { storeOperatorApps } from '../../schema/database/accounts/apps.ts';
import { checkVault } from '../../schema/database/vault-check.ts';
import { createApp, type App, type AppOptions } from '../server/app.ts';
import { startEmbeddedBackends } from '../embedded/backends.ts';
import { makeDataDirectory, refuseHeldDirectory } from '../embedded/data-directory.ts';
import { createStoredDocuments } from '../graphql/server/stored-documents.ts';
import { openFirstProject } from './first-start.ts';
import { requirePort } from '../server/ports.ts';
import { openVault } from './vault-keys.ts';
import { welcome } from './welcome.ts';

export interface Running {
  stop(): Promise<void>;
}

export interface StartOptions {
  print: (line: string) => void;
  /** Called when an embedded server has ended and can't be restarted. */
  fail: (reason: string) => void;
  /** Aborts the start, such as a long download. */
  signal: AbortSignal;
}

/** The API, a worker, Postgres and Temporal, for development. */
export async function startAllInOne(
  config: Config,
  { print, fail, signal }: StartOptions,
): Promise<Running> {
  quietTemporal();
  // Read first, so that its errors appear before any server starts.
  const documents = createStoredDocuments(config.storedDocuments);
  makeDataDirectory(config.dataDirectory);
  // Before the port, which a second start on the same directory would also find in use.
  await refuseHeldDirectory(config.dataDirectory);
  await requirePort(config.port, config.host, 'FANFARE_PORT');
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
    backends.onExit((name, detail) => fail(`${name} ${detail}.`));
    const databaseUrl = config.databaseUrl ?? backends.databaseUrl!;
    const mediaUrl = config.media.url ?? pathToFileURL(resolve(config.dataDirectory, 'media')).href;
    const ran = await migrateDatabase(databaseUrl, mediaUrl);
    if (ran.length > 0) print(`Migrated the database (${ran.join(', ')}).`);
    const vault = openVault(config);
    await withDatabase(databaseUrl, async (db) => {
      await checkVault(db, vault);
      await storeOperatorApps(db, vault, config.platforms);
    });
    app = await createApp({
      config,
      documents,
      databaseUrl,
      temporalAddress: config.temporal.address ?? backends.temporalAddress!,
      temporalUiUrl: backends.temporalUiUrl,
      vault,
      mediaUrl,
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

/** One role of an installation whose Postgres and Temporal run elsewhere. */
export async function startRole(
  config: Config,
  roles: AppOptions['roles'],
  print: (line: string) => void,
): Promise<Running> {
  quietTemporal();
  const { databaseUrl } = config;
  const { address } = config.temporal;
  if (databaseUrl === undefined || address === undefined) {
    throw new Error('This command needs DATABASE_URL and TEMPORAL_ADDRESS.');
  }
  const documents = createStoredDocuments(config.storedDocuments);
  if (roles.api) await requirePort(config.port, config.host, 'FANFARE_PORT');
  else await requirePort(config.workerPort, config.host, 'FANFARE_WORKER_PORT');
  const vault = openVault(config);
  await withDatabase(databaseUrl, async (db) => {
    if (!(await isMigrated(db))) {
      throw new Error('The database is not migrated. Run the command `migrate`.');
    }
    await checkVault(db, vault);
    if (config.media.url !== undefined) await checkMediaFolder(db, config.media.url);
    await storeOperatorApps(db, vault, config.platforms);
  });
  const app = await createApp({
    config,
    documents,
    databaseUrl,
    temporalAddress: address,
    temporalUiUrl: undefined,
    vault,
    mediaUrl: config.media.url,
    roles,
    cacheDirectory: join(config.dataDirectory, 'cache'),
  });
  if (roles.api) print(`Fanfare is ready at ${app.context.publicUrl}`);
  else
    void app.workerReady.then(() => print(`The worker is ready. Probes: ${app.probesUrl}/readyz`));
  return app;
}

/** Also prepares the folder of media, if there is one. */
export function migrateDatabase(url: string, mediaUrl: string | undefined): Promise<string[]> {
  return withDatabase(url, async (db) => {
    const ran = await migrate(db);
    if (mediaUrl !== undefined) await prepareMediaFolder(db, mediaUrl);
    return ran;
  });
}

/** On its own connection, without a time limit. */
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

/** Temporal's signal handlers would race with ours, and its log would be most of the output. */
function quietTemporal(): void {
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') });
}
