// The command `start`: runs everything in this process, with embedded servers unless others are configured.
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../../schema/config/config.ts';
import { storeOperatorApps } from '../../schema/database/accounts/apps.ts';
import { checkVault } from '../../schema/database/vault-check.ts';
import { buildDashboard } from '../dashboard/build.ts';
import { createSignInUrl } from '../dashboard/sign-in.ts';
import { createApp, type App } from '../server/app.ts';
import { createLog } from '../server/log.ts';
import { startEmbeddedBackends } from '../embedded/backends.ts';
import {
  checkDataDirectory,
  makeDataDirectory,
  refuseHeldDirectory,
} from '../embedded/data-directory.ts';
import { createStoredDocuments } from '../graphql/server/stored-documents.ts';
import { openFirstProject, readFirstKey } from './first-start.ts';
import { requirePort } from '../server/ports.ts';
import { createTemporalRuntime } from '../server/temporal-runtime.ts';
import { awaitDatabase, awaitTemporal } from './await-backend.ts';
import { migrateDatabase, withDatabase } from './migrate.ts';
import { openVault } from './vault-keys.ts';
import { welcome } from './welcome.ts';

export interface Running {
  stop(): Promise<void>;
}

export interface StartOptions {
  print: (line: string) => void;
  /** Called when an embedded server has ended by itself. */
  fail: (reason: string) => void;
  /** Aborts the start, such as a long download. */
  signal: AbortSignal;
}

/** The API, a worker, Postgres and Temporal, for development. */
export async function startAllInOne(
  config: Config,
  { print, fail, signal }: StartOptions,
): Promise<Running> {
  const log = createLog(config);
  // The documents are read first, so that their errors appear before any server starts.
  const documents = createStoredDocuments(config.storedDocuments);
  checkDataDirectory(config.dataDirectory);
  // Checked before the port. Otherwise a second start on the same directory would only report a port in use.
  refuseHeldDirectory(config.dataDirectory);
  await requirePort(config.port, config.host, 'FANFARE_PORT');
  const backends = await startEmbeddedBackends({
    dataDirectory: config.dataDirectory,
    postgres: config.databaseUrl === undefined,
    temporal: config.temporal.address === undefined,
    temporalCli: config.temporal.cli,
    progress: print,
    signal,
  });
  const building = new AbortController();
  if (config.hasDashboard) void buildDashboard(log, building.signal);
  let app: App | undefined;
  try {
    backends.onExit(fail);
    makeDataDirectory(config.dataDirectory);
    const waiting = { report: print, signal };
    const databaseUrl = config.databaseUrl ?? backends.databaseUrl!;
    const temporalAddress = config.temporal.address ?? backends.temporalAddress!;
    await awaitDatabase(databaseUrl, waiting);
    const mediaUrl = config.media.url ?? pathToFileURL(resolve(config.dataDirectory, 'media')).href;
    const ran = await migrateDatabase(databaseUrl, mediaUrl);
    if (ran.length > 0) print(`Migrated the database (${ran.join(', ')}).`);
    const vault = openVault(config);
    await withDatabase(databaseUrl, async (db) => {
      await checkVault(db, vault);
      await storeOperatorApps(db, vault, config.platforms);
    });
    await awaitTemporal({ address: temporalAddress, config }, waiting);
    const key = readFirstKey(config);
    app = await createApp({
      config,
      documents,
      databaseUrl,
      temporalAddress,
      temporalUiUrl: backends.temporalUiUrl,
      vault,
      firstKey: key,
      mediaUrl,
      roles: { api: true, worker: true },
      cacheDirectory: join(config.dataDirectory, 'cache'),
      log,
      temporalRuntime: createTemporalRuntime(log),
    });
    signal.throwIfAborted();
    const { keyId, accountIds } = await openFirstProject(app.context, key, print);
    await Promise.race([app.workerReady, once(signal, 'abort')]);
    signal.throwIfAborted();
    const { publicUrl: url, temporalUiUrl } = app.context;
    const { hasGraphiql } = config;
    const signInUrl = await createSignInUrl(app.context, keyId);
    print(`\n${welcome({ url, key, signInUrl, accountIds, temporalUiUrl, hasGraphiql })}`);
    const running = app;
    return {
      async stop() {
        building.abort();
        await running.stop();
        await backends.stop();
      },
    };
  } catch (error) {
    building.abort();
    await app?.stop();
    await backends.stop();
    throw error;
  }
}
