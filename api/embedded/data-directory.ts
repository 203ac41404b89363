// The data directory: its secrets, and its lock, which ends with the process that took it.
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Locked until `release`, or until this process ends. */
export interface DataDirectory {
  readonly path: string;
  release(): void;
}

/** Creates the folder if it is missing. Throws if a running program has locked it. */
export function claimDataDirectory(directory: string): DataDirectory {
  makeDataDirectory(directory);
  const real = realpathSync(directory);
  // Waits a moment, because `isHeld` of another process takes a shared lock for a moment.
  const lock = acquireLock(real, 'pragma journal_mode = memory; begin exclusive', 500);
  if (lock === undefined) throw inUse(real);
  writeFileSync(holderFile(real), String(process.pid), { mode: 0o600 });
  return { path: real, release: () => void (lock.isOpen && lock.close()) };
}

/** Throws if a running program has locked the folder. Locks nothing. */
export function refuseHeldDirectory(directory: string): void {
  if (isHeld(directory)) throw inUse(directory);
}

/** Whether a running program has locked the folder. */
export function isHeld(directory: string): boolean {
  if (!existsSync(lockFile(directory))) return false;
  const lock = acquireLock(directory, 'begin; select 1 from sqlite_schema', 0);
  lock?.close();
  return lock === undefined;
}

const sqliteBusy = 5;
const lockFile = (directory: string) => path.join(directory, 'lock.sqlite');
const holderFile = (directory: string) => path.join(directory, 'lock.pid');

/** Undefined: another process has the lock. The system releases the lock of a killed process. */
function acquireLock(directory: string, sql: string, waitMs: number): DatabaseSync | undefined {
  const file = lockFile(directory);
  try {
    const lock = new DatabaseSync(file, { timeout: waitMs });
    chmodSync(file, 0o600);
    try {
      lock.exec(sql);
      return lock;
    } catch (error) {
      lock.close();
      if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
      throw error;
    }
  } catch (error) {
    throw new Error(`Cannot lock ${file}: ${(error as Error).message}`, { cause: error });
  }
}

function inUse(directory: string): Error {
  const pid = existsSync(holderFile(directory)) && readFileSync(holderFile(directory), 'utf8');
  const holder = pid ? `process ${pid}` : 'another process';
  return new Error(
    `${directory} is in use by ${holder}. Stop it first, or choose another folder with FANFARE_DATA_DIR.`,
  );
}

/** Creates the folder if it is missing. */
export function makeDataDirectory(directory: string): void {
  const missing = checkDataDirectory(directory);
  // Makes the folders one by one, because Node's recursive option never returns if the system hides a parent, as in
  // /proc.
  naming(directory, () => missing.forEach(makeFolder));
}

/** Throws if the folder can't be the data directory. Writes nothing, and returns the folders that are missing. */
export function checkDataDirectory(directory: string): string[] {
  const missing: string[] = [];
  let nearest = path.resolve(directory);
  for (; !existsSync(nearest); nearest = path.dirname(nearest)) missing.unshift(nearest);
  naming(directory, () => {
    if (!statSync(nearest).isDirectory()) throw new Error(`${nearest} is not a folder`);
    accessSync(nearest, constants.W_OK | constants.X_OK);
  });
  return missing;
}

function naming(directory: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new Error(
      `${directory} cannot be the data directory: ${(error as Error).message}. Choose another folder with FANFARE_DATA_DIR.`,
      { cause: error },
    );
  }
}

function makeFolder(folder: string): void {
  try {
    // Root starts Postgres as another user, who must pass through this folder but not list it.
    mkdirSync(folder, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    // Another start may have created the folder.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Reads a secret from the folder. Creates it on the first call, readable by our user only. */
export function readOrCreateSecret(directory: string, name: string, create: () => string): string {
  const file = path.join(directory, name);
  const secret = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (secret) return secret;
  const created = create();
  writeFileSync(`${file}.new`, `${created}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return created;
}
