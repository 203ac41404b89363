// The data directory: its secrets, and its lock, a Unix socket that closes with the process.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createConnection, createServer } from 'node:net';
import type { Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Locked until `release`, or until this process ends. */
export interface DataDirectory {
  readonly path: string;
  release(): Promise<void>;
}

interface Holder {
  pid: number | undefined;
}

function inUse(directory: string, { pid }: Holder): Error {
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  return new Error(
    `${directory} is in use by ${holder}. Stop it first, or choose another folder with FANFARE_DATA_DIR.`,
  );
}

// macOS has the shortest limit: 104 bytes with the terminator.
const longestSocketPath = 103;

/** Creates the folder if it is missing. Throws if a running program has locked it. */
export async function takeDataDirectory(directory: string): Promise<DataDirectory> {
  makeDataDirectory(directory);
  const real = realpathSync(directory);
  const socketPath = socketPathIn(real);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const server = await listen(socketPath);
    if (server !== undefined) {
      chmodSync(socketPath, 0o600);
      return { path: real, release: () => close(server) };
    }
    const holder = await findHolder(directory);
    if (holder !== undefined) throw inUse(real, holder);
  }
  throw new Error(`Could not lock ${real}: other processes keep taking its lock.sock.`);
}

/** Throws if a running program has locked the folder. Locks nothing. */
export async function refuseHeldDirectory(directory: string): Promise<void> {
  const holder = await findHolder(directory);
  if (holder !== undefined) throw inUse(directory, holder);
}

/** Creates the folder if it is missing. */
export function makeDataDirectory(directory: string): void {
  const reason = makeFolders(path.resolve(directory));
  if (reason === undefined) return;
  throw new Error(
    `${directory} cannot be the data directory: ${reason}. Choose another folder with FANFARE_DATA_DIR.`,
  );
}

/** Returns the reason if it fails. */
function makeFolders(directory: string): string | undefined {
  const missing: string[] = [];
  let nearest = directory;
  for (; !existsSync(nearest); nearest = path.dirname(nearest)) missing.unshift(nearest);
  try {
    if (!statSync(nearest).isDirectory()) return `${nearest} is not a folder`;
    accessSync(nearest, constants.W_OK | constants.X_OK);
    // One by one: Node's recursive option never returns if the system hides a parent, as in /proc.
    for (const folder of missing) makeFolder(folder);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function makeFolder(folder: string): void {
  try {
    // Root starts Postgres as another user, who must pass through this folder but not list it.
    mkdirSync(folder, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    // Another start may have created it.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** The process that has locked the folder; undefined if none has. Removes a stale socket. */
export async function findHolder(directory: string): Promise<Holder | undefined> {
  const socketPath = socketPathIn(realpathSync(directory));
  const before = identityOf(socketPath);
  if (before === undefined) return undefined;
  // Asks twice, because a new socket refuses connections for a moment.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const answer = await ask(socketPath);
    if (answer !== 'refused') return { pid: answer };
    await sleep(50);
  }
  const aside = `${socketPath}.${randomUUID()}`;
  try {
    renameSync(socketPath, aside);
  } catch {
    return undefined;
  }
  // Another start may have replaced the stale socket before the rename.
  if (identityOf(aside) !== before) linkSync(aside, socketPath);
  unlinkSync(aside);
  return undefined;
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

function socketPathIn(directory: string): string {
  const absolute = path.join(directory, 'lock.sock');
  const relative = path.relative(process.cwd(), absolute);
  const shorter = relative.length < absolute.length ? relative : absolute;
  if (Buffer.byteLength(absolute) <= longestSocketPath) return absolute;
  if (Buffer.byteLength(shorter) <= longestSocketPath) return shorter;
  throw new Error(
    `The path ${absolute} is too long for a socket: the limit is ${longestSocketPath} bytes. Choose a shorter FANFARE_DATA_DIR.`,
  );
}

async function listen(socketPath: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(String(process.pid), () => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(new Error(`Cannot use ${socketPath}: ${error.message}`, { cause: error }));
    });
    server.listen(socketPath, () => resolve(server.unref()));
  });
}

async function close(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
  });
}

/** The pid that answers; undefined if something else answers. */
async function ask(socketPath: string): Promise<number | undefined | 'refused'> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = createConnection(socketPath);
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(/^\d+$/.test(text) ? Number(text) : undefined));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve('refused');
      else if (error.code === 'EACCES' || error.code === 'EPERM')
        reject(new Error(`${socketPath} belongs to another user.`, { cause: error }));
      else resolve(undefined);
    });
  });
}

function identityOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  // The inode number alone may be reused by the next new file.
  return stat && `${stat.ino} ${stat.mtimeNs}`;
}
