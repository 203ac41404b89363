// Where embedded Postgres keeps its data, from which place its programs run, and as which user.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { binariesIn, type PostgresBinaries } from './postgres-programs.ts';

interface SystemUser {
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
  const note = path.join(dataDirectory, 'postgres-directory');
  const noted = existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined;
  const user = ownerOf(path.join(noted ?? dataDirectory, 'postgres')) ?? findUser();
  let directory = noted ?? dataDirectory;
  if (noted === undefined && !letIn(dataDirectory, user)) {
    const hash = createHash('sha256').update(`${dataDirectory}\n${randomUUID()}`).digest('hex');
    directory = path.join(fallbackRoot, hash.slice(0, 16));
    progress(
      `Postgres doesn't run as root, and the user ${user.name} can't enter ${firstClosed(dataDirectory, user)}. The database is in ${directory}.`,
    );
    makePassable(fallbackRoot);
    makePassable(directory);
    writeFileSync(note, `${directory}\n`, { mode: 0o600 });
  }
  return { directory, binaries: chooseBinaries(binaries, user, progress), user };
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

/** Opens the data directory to the user, but no folder above it. False: a folder above is closed. */
function letIn(dataDirectory: string, user: SystemUser): boolean {
  if (canEnter(dataDirectory, user)) return true;
  if (!canEnter(path.dirname(dataDirectory), user)) return false;
  makePassable(dataDirectory);
  return canEnter(dataDirectory, user);
}

function chooseBinaries(
  binaries: PostgresBinaries,
  user: SystemUser,
  progress: (line: string) => void,
): PostgresBinaries {
  if (canRun(binaries.postgres, user)) return binaries;
  const copy = binariesIn(path.join(fallbackRoot, `postgres-${binaries.label}`), binaries.label);
  if (!existsSync(copy.directory)) {
    progress(
      `The user ${user.name} of Postgres can't enter ${firstClosed(binaries.directory, user)}. Its programs are copied to ${copy.directory}.`,
    );
    const unfinished = `${copy.directory}.${process.pid}`;
    makePassable(fallbackRoot);
    cpSync(binaries.directory, unfinished, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', unfinished]);
    try {
      renameSync(unfinished, copy.directory);
    } catch (error) {
      // Another start may have been faster.
      rmSync(unfinished, { recursive: true });
      if (!existsSync(copy.directory)) throw error;
    }
  }
  if (canRun(copy.postgres, user)) return copy;
  throw new Error(
    `The user ${user.name} can't run Postgres from ${copy.directory}. Start as a normal user, or set DATABASE_URL.`,
  );
}

function findUser(): SystemUser {
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const read = (flag: string) => Number(String(spawnSync('id', [flag, name]).stdout));
    const [uid, gid] = [read('-u'), read('-g')];
    if (uid > 0) return { name, uid, gid };
  }
  throw new Error(
    "Postgres doesn't run as root, and the users postgres and nobody don't exist. Start as a normal user, or set DATABASE_URL.",
  );
}

function ownerOf(directory: string): SystemUser | undefined {
  const stat = statSync(directory, { throwIfNoEntry: false });
  if (stat === undefined || stat.uid === 0) return undefined;
  return { name: `with the ID ${stat.uid}`, uid: stat.uid, gid: stat.gid };
}

/** Tries to enter as that user, because file modes don't show access lists and mount options. */
function canEnter(directory: string, { uid, gid }: SystemUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { cwd: '/', uid, gid }).status === 0;
}

function canRun(program: string, { uid, gid }: SystemUser): boolean {
  return spawnSync(program, ['--version'], { cwd: '/', uid, gid }).status === 0;
}

function firstClosed(directory: string, user: SystemUser): string {
  const parts = directory.split(path.sep);
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join(path.sep) || path.sep);
  return paths.find((candidate) => !canEnter(candidate, user)) ?? directory;
}
