// The servers of a cluster that the harness may kill, wipe and restore: Postgres and Temporal.
import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startPostgres as startEmbeddedPostgres } from '../../../api/embedded/postgres.ts';
import { isAlive } from '../../support/processes.ts';
import { findProcessesIn } from '../../../api/embedded/process-table.ts';
import { startTemporal as startEmbeddedTemporal } from '../../../api/embedded/temporal.ts';
import {
  dropProductionDatabases,
  findProductionPorts,
  startProductionTemporal as startServer,
} from '../../support/servers/production-temporal.ts';
import type { ProxiedServer } from './proxies.ts';

/** Its address stays the same over restarts, as far as the machine allows. */
export interface KillableServer extends ProxiedServer {
  readonly pid: number;
  kill9(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresServer extends KillableServer {
  readonly url: string;
  /** Copies the data directory while the server runs, as a base backup does. */
  copy(): Promise<void>;
  /** Puts the copy in the place of the data. The server must have ended. */
  restoreCopy(): Promise<void>;
}

export interface TemporalServer extends KillableServer {
  readonly address: string;
  /** Removes its database. The server must have ended. */
  wipe(): Promise<void> | void;
}

const progress = () => undefined;

export async function startPostgres(directory: string): Promise<PostgresServer> {
  mkdirSync(directory, { mode: 0o755 });
  const launch = () =>
    startEmbeddedPostgres({
      dataDirectory: directory,
      progress,
      // Nothing here outlives the machine, but each commit must outlive the server.
      fsync: false,
      settings: { synchronous_commit: 'on', full_page_writes: 'on', max_connections: '300' },
    });
  let server = await launch();
  const restarts = new EventEmitter();
  const data = await findDataDirectory(server.databaseUrl);
  const copied = `${data}-copy`;
  return {
    restarts,
    get pid() {
      return server.pid;
    },
    get port() {
      return server.port;
    },
    get url() {
      return server.databaseUrl;
    },
    kill9: () => kill9(server.pid),
    async start() {
      server = await launch();
      restarts.emit('restart');
    },
    stop: () => server.stop(),
    async copy() {
      await rm(copied, { recursive: true, force: true });
      const client = new Client({ connectionString: server.databaseUrl });
      await client.connect();
      try {
        await client.query(`select pg_backup_start('chaos', true)`);
        await copyLiveFiles(data, copied);
        const { rows } = await client.query<{ labelfile: string }>(
          'select labelfile from pg_backup_stop(false)',
        );
        await copyLiveFiles(`${data}/pg_wal/.`, `${copied}/pg_wal`);
        const label = join(copied, 'backup_label');
        await writeFile(label, rows[0]!.labelfile, { mode: 0o600 });
        const { uid, gid } = await stat(copied);
        await chown(label, uid, gid);
        await rm(join(copied, 'postmaster.pid'), { force: true });
      } finally {
        await client.end();
      }
    },
    async restoreCopy() {
      // Its children end by themselves, later than their parent.
      while (findProcessesIn(data, /postgres/).length > 0) await sleep(20);
      await rm(data, { recursive: true });
      await rename(copied, data);
    },
  };
}

export async function startTemporal(
  directory: string,
  executable: string,
): Promise<TemporalServer> {
  mkdirSync(directory, { mode: 0o755 });
  const launch = () =>
    startEmbeddedTemporal({
      dataDirectory: directory,
      executable,
      progress,
      headless: true,
    });
  let server = await launch();
  const restarts = new EventEmitter();
  return {
    restarts,
    get pid() {
      return server.pid;
    },
    get port() {
      return Number(server.address.split(':')[1]);
    },
    get address() {
      return server.address;
    },
    kill9: () => kill9(server.pid),
    async start() {
      server = await launch();
      restarts.emit('restart');
    },
    stop: () => server.stop(),
    wipe() {
      for (const name of readdirSync(directory)) {
        if (name.startsWith('temporal.sqlite')) rmSync(join(directory, name));
      }
    },
  };
}

/** Its databases are on a Postgres that no fault touches. */
export async function startProductionTemporal(
  directory: string,
  databaseUrl: string,
): Promise<TemporalServer> {
  const ports = await findProductionPorts();
  const launch = () => startServer({ dataDirectory: directory, databaseUrl, ports });
  let server = await launch();
  const restarts = new EventEmitter();
  return {
    restarts,
    get pid() {
      return server.pid;
    },
    port: ports['FRONTEND_GRPC_PORT']!,
    address: server.address,
    kill9: () => kill9(server.pid),
    async start() {
      server = await launch();
      restarts.emit('restart');
    },
    stop: () => server.stop(),
    wipe: () => dropProductionDatabases(databaseUrl),
  };
}

async function findDataDirectory(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return rows[0]!.data_directory;
  } finally {
    await client.end();
  }
}

/** Files that vanish meanwhile belong to no backup. */
async function copyLiveFiles(from: string, to: string): Promise<void> {
  try {
    await promisify(execFile)('cp', ['-a', from, to], { env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    const lines = (error as { stderr?: string }).stderr?.trim().split('\n') ?? [];
    const others = lines.filter((line) => !line.includes('No such file or directory'));
    if (lines.length === 0 || others.length > 0) throw error;
  }
}

export async function kill9(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await sleep(20);
}
