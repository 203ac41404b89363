// The embedded servers keep their data and come back, whatever is killed.
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Client as DatabaseClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmbeddedBackends, type EmbeddedBackends } from '../../../api/embedded/backends.ts';
import { startPostgres } from '../../../api/embedded/postgres.ts';
import { startTemporal } from '../../../api/embedded/temporal.ts';
import { isAlive } from '../../support/processes.ts';
import { findRunningDatabase } from '../../../api/embedded/postgres-cluster.ts';
import { startEmbeddedProgram, type EmbeddedProgram } from '../../support/app/embedded-program.ts';
import { findTemporal } from '../../support/servers/servers.ts';

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
let parent: string;
let dataDirectory: string;
let temporalCli: string;
let lines: string[] = [];

beforeAll(async () => {
  parent = mkdtempSync(path.join(tmpdir(), 'fanfare-embedded-'));
  chmodSync(parent, 0o755);
  dataDirectory = path.join(parent, 'data');
  temporalCli = await findTemporal();
});
afterAll(() => {
  rmSync(parent, { recursive: true, maxRetries: 5, retryDelay: 100 });
});

function start(): Promise<EmbeddedBackends> {
  lines = [];
  const progress = (line: string) => void lines.push(line);
  return startEmbeddedBackends({
    dataDirectory,
    postgres: true,
    temporal: true,
    temporalCli,
    progress,
  });
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new DatabaseClient(url);
  // A server that is killed under a query says so twice.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The names kept in the database and the workflows kept in Temporal. */
async function readKept({ databaseUrl, temporalAddress }: Addresses): Promise<string[]> {
  const rows = await query(databaseUrl!, 'select name from kept order by name');
  const kept = rows.map((row) => String(row['name']));
  const connection = await Connection.connect({ address: temporalAddress! });
  try {
    const { workflow } = new Client({ connection });
    for (const name of kept) {
      expect((await workflow.getHandle(name).describe()).status.name).toBe('RUNNING');
    }
  } finally {
    await connection.close();
  }
  return kept;
}

async function keep({ databaseUrl, temporalAddress }: Addresses, name: string): Promise<void> {
  await query(databaseUrl!, `insert into kept values ('${name}')`);
  const connection = await Connection.connect({ address: temporalAddress! });
  const { workflow } = new Client({ connection });
  await workflow.start('keep', { workflowId: name, taskQueue: 'nobody' });
  await connection.close();
}

type Addresses = Pick<EmbeddedBackends, 'databaseUrl' | 'temporalAddress'>;

function pidOf(name: 'postgres' | 'temporal'): number {
  return pidIn(dataDirectory, name);
}

function pidIn(directory: string, name: 'postgres' | 'temporal'): number {
  const record = readFileSync(path.join(directory, `${name}.json`), 'utf8');
  return (JSON.parse(record) as { pid: number }).pid;
}

describe('startEmbeddedBackends', () => {
  describe('in a folder whose first start was interrupted', () => {
    let backends: EmbeddedBackends;
    beforeAll(async () => {
      mkdirSync(path.join(dataDirectory, 'postgres.new', 'half'), { recursive: true });
      backends = await start();
    });
    afterAll(() => backends.stop());

    test('makes a database in UTF-8', async () => {
      expect(lines).toContain('Creating the Postgres database cluster.');
      const [row] = await query(
        backends.databaseUrl!,
        `select current_setting('server_encoding') as encoding, upper('é') as upper, current_database() as name`,
      );
      expect(row).toEqual({ encoding: 'UTF8', upper: 'É', name: 'fanfare' });
      await query(backends.databaseUrl!, 'create table kept (name text)');
      await keep(backends, 'first');
    });

    test('opens the database only to users who can read the password', async () => {
      const wrong = backends.databaseUrl!.replace(/:[^:@]+@/, ':wrong@');
      await expect(query(wrong, 'select')).rejects.toThrow(/password authentication failed/);
      for (const name of ['postgres-password', 'postgres.log', 'temporal.sqlite']) {
        expect(statSync(path.join(dataDirectory, name)).mode & 0o077).toBe(0);
      }
    });

    test('refuses a second start', async () => {
      await expect(start()).rejects.toThrow(`is in use by process ${process.pid}.`);
      expect(await readKept(backends)).toEqual(['first']);
    });

    test('keeps data and addresses over a restart', async () => {
      const { databaseUrl, temporalAddress, temporalUiUrl } = backends;
      expect(findRunningDatabase(dataDirectory)).toBe(databaseUrl);
      await keep(backends, 'second');
      const pids = [pidOf('postgres'), pidOf('temporal')];
      await backends.stop();
      expect(pids.filter(isAlive)).toEqual([]);
      expect(findRunningDatabase(dataDirectory)).toBeUndefined();
      backends = await start();
      expect(backends).toMatchObject({ databaseUrl, temporalAddress, temporalUiUrl });
      expect(await readKept(backends)).toEqual(['first', 'second']);
    });
  });

  test('replaces the servers of a program that was killed', async () => {
    const program = await startEmbeddedProgram({
      dataDirectory,
      postgres: true,
      temporal: true,
      temporalCli,
    });
    await keep(program, 'third');
    const orphans = [pidOf('postgres'), pidOf('temporal')];
    await program.kill9();
    expect(orphans.filter(isAlive)).toEqual(orphans);
    await using backends = await start();
    expect(orphans.filter(isAlive)).toEqual([]);
    expect(lines.filter((line) => /left running by an earlier start/.test(line))).toHaveLength(2);
    expect(await readKept(backends)).toEqual(['first', 'second', 'third']);
  });

  test('comes back when the program and both servers were killed', async () => {
    const program = await startEmbeddedProgram({
      dataDirectory,
      postgres: true,
      temporal: true,
      temporalCli,
    });
    await keep(program, 'fourth');
    // One that is busy does not notice for a while that its server is gone.
    const long = 'select count(*) from generate_series(1, 1e9)';
    query(program.databaseUrl, long).catch(() => undefined);
    const running = `select from pg_stat_activity where state = 'active' and query = '${long}'`;
    await expect.poll(() => query(program.databaseUrl, running)).toHaveLength(1);
    await program.kill9();
    process.kill(pidOf('postgres'), 'SIGKILL');
    process.kill(pidOf('temporal'), 'SIGKILL');
    await using backends = await start();
    expect(await readKept(backends)).toHaveLength(4);
  });

  test('finds its own servers even if no record names them', async () => {
    const program = await startEmbeddedProgram({
      dataDirectory,
      postgres: true,
      temporal: true,
      temporalCli,
    });
    const orphans = [pidOf('postgres'), pidOf('temporal')];
    await program.kill9();
    rmSync(path.join(dataDirectory, 'postgres.json'));
    rmSync(path.join(dataDirectory, 'temporal.json'));
    await using backends = await start();
    expect(orphans.filter(isAlive)).toEqual([]);
    expect(await readKept(backends)).toHaveLength(4);
  });

  test.each(['postgres', 'temporal'] as const)(
    'reports that %s was killed, with its last lines',
    async (name) => {
      await using backends = await start();
      const reason = new Promise<string>((resolve) => backends.onExit(resolve));
      process.kill(pidOf(name), 'SIGKILL');
      const title = { postgres: 'Postgres', temporal: 'Temporal' }[name];
      expect(await reason).toMatch(new RegExp(`^${title} was killed by SIGKILL\\.\n.*\\S`));
    },
  );

  test('refuses a database of another encoding', async () => {
    const backends = await start();
    const admin = backends.databaseUrl!.replace(/fanfare$/, 'postgres');
    await query(admin, `update pg_database set encoding = 0 where datname = 'fanfare'`);
    await backends.stop();
    await expect(start()).rejects.toThrow(/fanfare is encoded as SQL_ASCII, not UTF8/);
    expect([pidOf('postgres'), pidOf('temporal')].filter(isAlive)).toEqual([]);
  });
});

describe('startTemporal', () => {
  test('starts after it was killed while it made its first database', async () => {
    const directory = path.join(parent, 'first');
    mkdirSync(directory);
    const options = {
      dataDirectory: directory,
      executable: temporalCli,
      progress: () => undefined,
      headless: true,
    };
    for (const file of ['temporal.sqlite.new', 'temporal.sqlite-journal']) {
      writeFileSync(path.join(directory, file), 'half');
    }
    const cutShort = startTemporal(options);
    const file = path.join(directory, 'temporal.sqlite');
    const walBytes = () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    await expect.poll(walBytes, { timeout: 30_000 }).toBeGreaterThan(4096);
    process.kill(pidIn(directory, 'temporal'), 'SIGKILL');
    await expect(cutShort).rejects.toThrow('Temporal was killed by SIGKILL');
    expect(existsSync(`${file}.new`)).toBe(true);
    const server = await startTemporal(options);
    expect(isAlive(server.pid)).toBe(true);
    await server.stop();
    const stale = ['temporal.sqlite.new', 'temporal.sqlite-journal'];
    expect(readdirSync(directory).filter((file) => stale.includes(file))).toEqual([]);
  });
});

describe('startPostgres', () => {
  test.skipIf(!isRoot)('keeps its data elsewhere if its user cannot enter the folder', async () => {
    const closed = path.join(parent, 'closed');
    const inner = path.join(closed, 'data');
    mkdirSync(inner, { recursive: true });
    chmodSync(closed, 0o700);
    const said: string[] = [];
    const options = {
      dataDirectory: inner,
      progress: (line: string) => void said.push(line),
      fsync: false,
    };
    const first = await startPostgres(options);
    const elsewhere = readFileSync(path.join(inner, 'postgres-directory'), 'utf8').trim();
    try {
      expect(elsewhere).toMatch(/^\/var\/lib\/fanfare\/[0-9a-f]{16}$/);
      expect(said.join('\n')).toContain(`can't enter ${closed}. The database is in ${elsewhere}.`);
      await query(first.databaseUrl, 'create table kept (name text)');
      await first.stop();
      // Once chosen it stays, whatever the folder allows later.
      chmodSync(closed, 0o755);
      const again = await startPostgres(options);
      expect(await query(again.databaseUrl, 'select from kept')).toEqual([]);
      await again.stop();
      expect(existsSync(path.join(inner, 'postgres'))).toBe(false);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  test.skipIf(!isRoot)('runs for a normal user', async () => {
    const home = path.join(parent, 'home');
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, nobody.uid, nobody.gid);
    const directory = path.join(home, 'data');
    const wanted = { dataDirectory: directory, postgres: true, temporal: false };
    let program: EmbeddedProgram | undefined;
    try {
      program = await startEmbeddedProgram(wanted, nobody);
      expect(await query(program.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
      const owners = readdirSync(directory).map((name) => statSync(path.join(directory, name)).uid);
      expect(new Set(owners)).toEqual(new Set([nobody.uid]));
    } finally {
      await program?.stop();
    }
  });
});
