// The commands `api` and `worker`: run one role of an installation whose Postgres and Temporal run elsewhere.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { checkMediaFolder } from '../../activities/media/store/marker.ts';
import type { Config } from '../../schema/config/config.ts';
import { storeOperatorApps } from '../../schema/database/accounts/apps.ts';
import { isMigrated } from '../../schema/database/migrate.ts';
import { checkVault } from '../../schema/database/vault-check.ts';
import { createStoredDocuments } from '../graphql/server/stored-documents.ts';
import { createApp, type App } from '../server/app.ts';
import { requirePort } from '../server/ports.ts';
import { createTemporalRuntime } from '../server/temporal-runtime.ts';
import { awaitDatabase, awaitMediaStore, awaitTemporal } from './await-backend.ts';
import { withDatabase } from './migrate.ts';
import { openVault } from './vault-keys.ts';

/**
 * The API starts even if Temporal is unavailable. A worker waits for Temporal, because without Temporal it
 * has nothing to do.
 */
export async function startRole(
  config: Config,
  role: 'api' | 'worker',
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<App> {
  const { databaseUrl, media } = config;
  const { address } = config.temporal;
  if (databaseUrl === undefined || address === undefined) {
    throw new Error('This command needs DATABASE_URL and TEMPORAL_ADDRESS.');
  }
  const documents = createStoredDocuments(config.storedDocuments);
  if (role === 'api') await requirePort(config.port, config.host, 'FANFARE_PORT');
  else await requirePort(config.workerPort, config.host, 'FANFARE_WORKER_PORT');
  const vault = openVault(config);
  const report = (line: string) => log.warn({ component: 'process' }, line);
  await awaitDatabase(databaseUrl, { report, signal });
  await withDatabase(databaseUrl, async (db) => {
    if (!(await isMigrated(db))) {
      throw new Error('The database is not migrated. Run the command `migrate`.');
    }
    await checkVault(db, vault);
    if (media.url !== undefined) await checkMediaFolder(db, media.url);
    await storeOperatorApps(db, vault, config.platforms);
  });
  if (media.url !== undefined) await awaitMediaStore(media.url, { report, signal });
  if (role === 'worker') {
    await awaitTemporal({ address, config }, { report, signal });
  }
  return createApp({
    config,
    documents,
    databaseUrl,
    temporalAddress: address,
    temporalUiUrl: undefined,
    vault,
    firstKey: role === 'api' ? config.secrets.apiKey : undefined,
    mediaUrl: media.url,
    roles: { api: role === 'api', worker: role === 'worker' },
    cacheDirectory: join(config.dataDirectory, 'cache'),
    log,
    ...(role === 'worker' ? { temporalRuntime: createTemporalRuntime(log) } : {}),
  });
}
