// The costs of work: CPU time of processes, and counts of Postgres and Temporal.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { connectDatabase } from '../../schema/database/connect.ts';
import { withoutProxy } from '../../api/server/temporal-connection.ts';
import type { Installation } from './installation.ts';
import { median } from './result.ts';

/** The time of processes during some work. */
export interface Spent<Name extends string> {
  /** CPU time of each process and of its descendants, in milliseconds. */
  cpuMs: Record<Name, number>;
  /** How long the work took. */
  wallMs: number;
}

/** Linux only. Each process is exact to 10 ms. */
export async function measureCpu<Name extends string>(
  pids: Readonly<Record<Name, number>>,
  work: () => Promise<unknown>,
): Promise<Spent<Name>> {
  const names = Object.keys(pids) as Name[];
  const read = () => {
    const all = readProcesses();
    return names.map((name) => treeMs(all, pids[name]));
  };
  const before = read();
  const startedAt = performance.now();
  await work();
  const wallMs = performance.now() - startedAt;
  const after = read();
  const entries = names.map((name, i) => [name, after[i]! - before[i]!] as const);
  return { cpuMs: Object.fromEntries(entries) as Record<Name, number>, wallMs };
}

/** The CPU time of these processes, in milliseconds. */
export function cpuMsOf<Name extends string>(spent: Spent<Name>, ...names: Name[]): number {
  return names.reduce((sum, name) => sum + spent.cpuMs[name], 0);
}

/** Subtracts the CPU time of idle processes in the same time. */
export function netOf<Name extends string>(spent: Spent<Name>, idle: Spent<Name>): Spent<Name> {
  const share = spent.wallMs / idle.wallMs;
  const netMs = (name: Name) => spent.cpuMs[name] - idle.cpuMs[name] * share;
  return { cpuMs: eachOf(spent, netMs), wallMs: spent.wallMs };
}

/** The median of each process. */
export function medianOf<Name extends string>(all: readonly Spent<Name>[]): Spent<Name> {
  const medianMs = (name: Name) => median(all.map(({ cpuMs }) => cpuMs[name]));
  return { cpuMs: eachOf(all[0]!, medianMs), wallMs: median(all.map(({ wallMs }) => wallMs)) };
}

function eachOf<Name extends string>(
  { cpuMs }: Spent<Name>,
  ms: (name: Name) => number,
): Record<Name, number> {
  const names = Object.keys(cpuMs) as Name[];
  return Object.fromEntries(names.map((name) => [name, ms(name)])) as Record<Name, number>;
}

interface ProcessTime {
  parent: number;
  /** CPU time of the process and of its children that have ended. */
  ms: number;
}

const msPerTick = 10;

function readProcesses(): Map<number, ProcessTime> {
  const all = new Map<number, ProcessTime>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name in parentheses may contain anything. The fields start after the last one.
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const ticks = fields.slice(11, 15).reduce((sum, part) => sum + part, 0);
      all.set(pid, { parent: fields[1]!, ms: ticks * msPerTick });
    } catch {
      // The process ended while the others were read.
    }
  }
  return all;
}

function treeMs(all: Map<number, ProcessTime>, root: number): number {
  const children = [...all].filter(([, { parent }]) => parent === root);
  return children.reduce((sum, [pid]) => sum + treeMs(all, pid), all.get(root)?.ms ?? 0);
}

/** The pids of an installation's servers. */
export function serverPids({
  temporalFile,
}: Installation): Record<'postgres' | 'temporal', number> {
  const read = (name: string) => {
    const record = readFileSync(join(dirname(temporalFile), `${name}.json`), 'utf8');
    return (JSON.parse(record) as { pid: number }).pid;
  };
  return { postgres: read('postgres'), temporal: read('temporal') };
}

/**
 * After this time without work, the counts of Postgres are complete. A connection reports its last statements
 * only once it becomes idle.
 */
export const countedAfterMs = 11_000;

export interface Counts {
  atMs: number;
  /** Transactions of the database, each single statement included. */
  commits: number;
  /** Of this role in the database, with each BEGIN and COMMIT, without those of the sandbox network. */
  statements: number;
  /** Flushes of Postgres' log to the disk, of all databases. */
  fsyncs: number;
  /** Executions that Temporal has started. */
  workflows: number;
}

/** The role of the URL is the program's, or the bare chain's. The bench has another one. */
export interface Counters extends AsyncDisposable {
  read(databaseUrl: string): Promise<Counts>;
}

/** The installation must count statements. */
export async function openCounters({ db, env }: Installation): Promise<Counters> {
  await sql`create extension if not exists pg_stat_statements`.execute(db);
  const connection = await Connection.connect({
    address: env['TEMPORAL_ADDRESS']!,
    ...withoutProxy,
  });
  const { workflow } = new Client({ connection });
  return {
    async read(databaseUrl) {
      const { pathname, username } = new URL(databaseUrl);
      const { rows } = await sql<Pick<Counts, 'commits' | 'statements' | 'fsyncs'>>`
        select xact_commit::float8 as commits,
          (select sum(calls)::float8 from pg_stat_statements
            where dbid = datid and userid = ${username}::regrole
              and query not like '%sandbox\\_%') as statements,
          (select sum(fsyncs)::float8 from pg_stat_io where object = 'wal') as fsyncs
        from pg_stat_database where datname = ${pathname.slice(1)}`.execute(db);
      const { count: workflows } = await workflow.count();
      return { atMs: performance.now(), ...rows[0]!, workflows };
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** Vacuums now, so that the autovacuum has no work during a measurement. */
export async function vacuum(databaseUrl: string): Promise<void> {
  const connection = connectDatabase({
    url: databaseUrl,
    maxConnections: 1,
    applicationName: 'bench',
    transactionTimeoutS: 0,
  });
  await sql`vacuum analyze`.execute(connection.db);
  // Postgres counts what the connection did once it is closed.
  await connection.close();
}

/** The counts between two reads. `atMs` is the time between them. */
export function countsBetween(before: Counts, after: Counts): Counts {
  return {
    atMs: after.atMs - before.atMs,
    commits: after.commits - before.commits,
    statements: after.statements - before.statements,
    fsyncs: after.fsyncs - before.fsyncs,
    workflows: after.workflows - before.workflows,
  };
}
