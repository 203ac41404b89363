// A Postgres cluster on disk: made once with our encoding, its password, its version, its lock file.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { makePrivateDirectory } from './postgres-user.ts';
import type { PostgresPlace } from './postgres-user.ts';

const userName = 'fanfare';
export const databaseName = 'fanfare';
const majorVersion = '18';

/** Makes an empty cluster of ours. A start cut short leaves none behind. */
export async function createCluster(
  place: PostgresPlace,
  cluster: string,
  password: string,
  options: { fsync: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const prefix = `${cluster}.new`;
  for (const name of readdirSync(place.directory)) {
    const left = path.join(place.directory, name);
    if (left.startsWith(prefix)) rmSync(left, { recursive: true, force: true, maxRetries: 3 });
  }
  // Names of our own: what a killed start began may still be at work under the old ones.
  const unfinished = `${prefix}-${process.pid}`;
  const passwordFile = `${prefix}-password-${process.pid}`;
  makePrivateDirectory(unfinished, place.user);
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (place.user !== undefined) chownSync(passwordFile, place.user.uid, place.user.gid);
  const args = [
    `--pgdata=${unfinished}`,
    `--username=${userName}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // Not every macOS has this locale, and with the built-in provider little depends on it.
    process.platform === 'darwin' ? '--locale=C' : '--locale=C.UTF-8',
    '--no-instructions',
    ...(options.fsync ? [] : ['--no-sync']),
  ];
  const { uid, gid } = place.user ?? {};
  try {
    await promisify(execFile)(place.binaries.initdb, args, {
      cwd: unfinished,
      env: { TZ: 'UTC', PATH: '/usr/bin:/bin' },
      ...(uid === undefined ? {} : { uid, gid }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() ?? '';
    throw new Error(`Postgres could not create its database cluster in ${cluster}. ${said}`, {
      cause: error,
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  // Under its final name only once it is whole, so that a start cut short is simply repeated.
  renameSync(unfinished, cluster);
}

export function readOrMakePassword(dataDirectory: string, hasCluster: boolean): string {
  const file = path.join(dataDirectory, 'postgres-password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (hasCluster) {
    throw new Error(`${file} is missing, and without it the database beside it cannot be opened.`);
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(`${file}.new`, `${password}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return password;
}

export function checkVersion(cluster: string): void {
  const version = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version === majorVersion) return;
  throw new Error(
    `${cluster} was made by Postgres ${version}, and this is Postgres ${majorVersion}: dump it with the old release, and restore it with this one.`,
  );
}

export function databaseUrl(password: string, port: number, database = databaseName): string {
  return `postgres://${userName}:${password}@127.0.0.1:${port}/${database}`;
}

/** What a running Postgres writes into its folder about itself. */
export function readPostmaster(
  cluster: string,
): { pid: number; port: number; status: string | undefined } | undefined {
  try {
    const lines = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() };
  } catch {
    return undefined;
  }
}
