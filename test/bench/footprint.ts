// What the program takes of the machine: memory of its process, bytes in Postgres and in Temporal's file.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { sql } from 'kysely';
import type { Installation } from './installation.ts';

export function residentMb(pid: number): number {
  const kilobytes = existsSync(`/proc/${pid}/status`)
    ? statusKilobytes(pid, 'VmRSS')
    : Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
  return kilobytes / 1024;
}

/** The most it ever had. Only Linux keeps it: empty elsewhere. */
export function peakMemory(pid: number): { peak_mb?: number } {
  return existsSync(`/proc/${pid}/status`) ? { peak_mb: statusKilobytes(pid, 'VmHWM') / 1024 } : {};
}

function statusKilobytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]);
}

/** CPU time of the process. Only Linux reports it: 0 elsewhere. */
export function cpuSeconds(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return 0;
  const [, , user, system] = /\) (\S+ ){11}(\d+) (\d+)/.exec(
    readFileSync(`/proc/${pid}/stat`, 'utf8'),
  )!;
  return (Number(user) + Number(system)) / ticksPerSecond;
}

const ticksPerSecond = 100;

export interface StoredBytes {
  /** Events, deliveries, attempts and changes, with their indexes. */
  postgres: number;
  /** Temporal's database file and what is on its way into it. */
  temporal: number;
}

export async function storedBytes({ db, temporalFile }: Installation): Promise<StoredBytes> {
  const { rows } = await sql<{ bytes: string }>`
    select sum(pg_total_relation_size(name::regclass)) as bytes
    from unnest(array['events', 'deliveries', 'delivery_attempts', 'changes']) as name`.execute(db);
  const files = [temporalFile, `${temporalFile}-wal`].filter(existsSync);
  return {
    postgres: Number(rows[0]!.bytes),
    temporal: files.reduce((sum, file) => sum + statSync(file).size, 0),
  };
}
