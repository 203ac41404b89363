// A Postgres cluster on disk: creates it, and reads its password and version.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isHeld, readOrCreateSecret } from './data-directory.ts';
import { makePrivateDirectory, type PostgresPlace } from './postgres-place.ts';
import { readLastPorts } from './server-process.ts';

const userName = 'fanfare';
export const databaseName = 'fanfare';
const majorVersion = '18';

/** Creates an empty cluster. An interrupted start leaves none behind. */
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
  // Named for our own pid, because an initdb of a killed start may still be running.
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
    // Some macOS versions lack C.UTF-8. With the built-in provider, little depends on the locale.
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
  // Renamed only when complete, so that the next start can repeat an interrupted creation.
  renameSync(unfinished, cluster);
}

export function readPassword(dataDirectory: string, hasCluster: boolean): string {
  const name = 'postgres-password';
  return readOrCreateSecret(dataDirectory, name, () => {
    if (!hasCluster) return randomBytes(24).toString('base64url');
    throw new Error(`${path.join(dataDirectory, name)} is missing. The database needs it.`);
  });
}

export function checkVersion(cluster: string): void {
  const version = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version === majorVersion) return;
  throw new Error(
    `${cluster} was created by Postgres ${version}, but this release has Postgres ${majorVersion}. Dump the database with the earlier release, and restore the dump with this one.`,
  );
}

export function databaseUrl(password: string, port: number, database = databaseName): string {
  return `postgres://${userName}:${password}@127.0.0.1:${port}/${database}`;
}

/** The database that a running `start` keeps in this folder; undefined if none runs. */
export function findRunningDatabase(directory: string): string | undefined {
  if (!isHeld(directory)) return undefined;
  const { port } = readLastPorts(directory, 'Postgres');
  return port === undefined ? undefined : databaseUrl(readPassword(directory, true), port);
}
