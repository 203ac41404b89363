// Postgres refuses to run as root: chooses the user it runs as then, and a place that user may enter.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { binariesIn } from './postgres-binaries.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';

export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

export interface PostgresPlace {
  /** Holds the cluster in `postgres`; the data directory itself, but for root now and then. */
  directory: string;
  binaries: PostgresBinaries;
  user: SystemUser | undefined;
}

const fallbackRoot = '/var/lib/fanfare';

/** Where Postgres keeps its data and as whom it runs. Says so when that is not the usual. */
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

/** Makes an empty folder of this user's own. */
export function makePrivateDirectory(directory: string, user: SystemUser | undefined): void {
  mkdirSync(directory, { mode: 0o700 });
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
}

/** Letting others pass through a folder of ours shows them nothing. */
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
    `Postgres does not run as root, and its user ${user.name} may not enter ${firstClosed(dataDirectory, user)}: the database is kept in ${directory}.`,
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
      `Postgres's user ${user.name} may not enter ${firstClosed(binaries.directory, user)}: its programs are copied to ${target}.`,
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
      `Postgres cannot be run as the user ${user.name} from ${target}. Start as a normal user, or set DATABASE_URL.`,
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
    'Postgres does not run as root, and there is neither a user postgres nor nobody. Start as a normal user, or set DATABASE_URL.',
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
  return { name: `with the id ${stat.uid}`, uid: stat.uid, gid: stat.gid };
}

/** Asked of the system itself, which also knows access lists and odd mounts. */
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
