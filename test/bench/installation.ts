// What a row measures: the real program on servers of its own, on disk and with fsync, as users run it.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sql, type RawBuilder } from 'kysely';
import { startEmbeddedBackends } from '../../api/embedded/backends.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import type { Db } from '../../schema/database/tables.ts';
import { createNotifier, type Notifier } from '../../schema/database/notifier.ts';
import type { Api } from '../support/app/api.ts';
import { startProgram, type Program } from '../support/app/program.ts';
import {
  startProductionTemporal,
  usesProductionTemporal,
} from '../support/servers/production-temporal.ts';
import { cacheDirectory } from '../support/servers/cache.ts';

/** The bench creates more posts, and sooner, than a client may. */
const unlimited = {
  FANFARE_RATE_LIMIT_PER_MINUTE: '0',
  FANFARE_MONTHLY_POSTS_PER_ACCOUNT: '0',
  FANFARE_MIN_SCHEDULE_AHEAD_S: '0',
};

export interface Installation extends AsyncDisposable {
  readonly program: Program;
  readonly api: Api;
  readonly projectId: string;
  /** Connections of the bench itself. */
  readonly db: Db;
  readonly notifier: Notifier;
  /** Where the development server of Temporal keeps its histories. */
  readonly temporalFile: string;
  readonly databaseUrl: string;
  /** What another program on the same servers is started with. */
  readonly env: Record<string, string>;
}

/** A folder on the disk that the program's own data is on. */
export function createBenchDirectory(): string {
  const parent = resolve(process.env['FANFARE_DATA_DIR'] || '.data');
  mkdirSync(parent, { recursive: true, mode: 0o711 });
  const directory = mkdtempSync(join(parent, 'bench-'));
  chmodSync(directory, 0o711);
  return directory;
}

/** `countsStatements`: for `openCounters`. Counting costs Postgres some CPU time. */
export async function startInstallation(
  env: Record<string, string> = {},
  { countsStatements = false } = {},
): Promise<Installation> {
  const dataDirectory = createBenchDirectory();
  const undo: (() => Promise<void> | void)[] = [
    () => rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const servers = join(dataDirectory, 'servers');
    if (countsStatements) await loadStatementCounts(servers);
    const backends = await startEmbeddedBackends({
      dataDirectory: servers,
      postgres: true,
      temporal: !usesProductionTemporal,
      temporalCli: process.env['TEMPORAL_CLI'],
      cacheDirectory,
      progress: () => undefined,
    });
    undo.push(() => backends.stop());
    const databaseUrl = backends.databaseUrl!;
    let temporalAddress = backends.temporalAddress;
    if (usesProductionTemporal) {
      const temporal = await startProductionTemporal({ dataDirectory: servers, databaseUrl });
      undo.push(() => temporal.stop());
      temporalAddress = temporal.address;
    }
    const programEnv = {
      DATABASE_URL: databaseUrl,
      FANFARE_VAULT_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      TEMPORAL_ADDRESS: temporalAddress!,
      FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      FANFARE_SANDBOX: 'true',
      FANFARE_LOG_LEVEL: 'error',
      ...unlimited,
      ...env,
    };
    const program = startProgram({
      dataDirectory: join(dataDirectory, 'program'),
      env: programEnv,
    });
    undo.push(() => program.stop());
    const api = await program.waitForReady({ timeoutMs: 120_000 });
    const project = await api.get('/v1/project');
    const benchUrl = await createBenchRole(databaseUrl);
    const connection = connectDatabase({
      url: benchUrl,
      maxConnections: 20,
      applicationName: 'bench',
      // Thousands of rows are committed together.
      transactionTimeoutS: 0,
    });
    undo.push(() => connection.close());
    const notifier = createNotifier(benchUrl);
    undo.push(() => notifier.close());
    return {
      program,
      api,
      projectId: project.body.data.id as string,
      db: connection.db,
      notifier,
      temporalFile: join(servers, 'temporal.sqlite'),
      databaseUrl,
      env: programEnv,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Postgres loads this library only when it starts, so it is started once before. */
async function loadStatementCounts(dataDirectory: string): Promise<void> {
  const progress = () => undefined;
  const servers = { dataDirectory, postgres: true, temporal: false, progress };
  await using backends = await startEmbeddedBackends(servers);
  await runOnce(
    backends.databaseUrl!,
    sql`alter system set shared_preload_libraries = 'pg_stat_statements'`,
  );
}

/** Returns the URL of a role whose statements are not counted as the program's. */
async function createBenchRole(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  url.username = 'bench';
  url.password = randomBytes(16).toString('hex');
  const password = sql.lit(url.password);
  await runOnce(databaseUrl, sql`create role bench superuser login password ${password}`);
  return url.href;
}

async function runOnce(url: string, statement: RawBuilder<unknown>): Promise<void> {
  const connection = connectDatabase({ url, maxConnections: 1, applicationName: 'bench' });
  try {
    await statement.execute(connection.db);
  } finally {
    await connection.close();
  }
}

/** Stops the program during the work, so that it takes no CPU time from the work. */
export async function whileStopped<T>(
  { program }: Installation,
  work: () => Promise<T>,
): Promise<T> {
  process.kill(program.pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(program.pid, 'SIGCONT');
  }
}
