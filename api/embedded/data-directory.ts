// Takes the data directory for one running program, by a unix socket that ends with the process.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createConnection, createServer } from 'node:net';
import type { Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Held for as long as this process lives or until `release`. */
export interface DataDirectory {
  readonly path: string;
  release(): Promise<void>;
}

export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';
  readonly pid: number | undefined;

  constructor(directory: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(
      `${directory} is in use by ${holder}. Stop it first, or choose another folder with FANFARE_DATA_DIR.`,
    );
    this.pid = pid;
  }
}

// The shortest limit among the systems for a socket's path is 104 bytes with its terminator.
const longestSocketPath = 103;

/** Creates the folder where needed; refuses when a living program holds it. */
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
    if (holder !== undefined) throw new DataDirectoryInUse(real, holder.pid);
  }
  throw new Error(`Could not take ${real}: its lock.sock keeps changing hands.`);
}

/** Throws when a living program holds the folder, and takes nothing. */
export async function refuseHeldDirectory(directory: string): Promise<void> {
  const holder = await findHolder(directory);
  if (holder !== undefined) throw new DataDirectoryInUse(directory, holder.pid);
}

/** Creates the folder where needed, and says why where it cannot be. */
export function makeDataDirectory(directory: string): void {
  const fault = makeFolders(path.resolve(directory));
  if (fault === undefined) return;
  throw new Error(
    `${directory} cannot be the data directory: ${fault}. Choose another folder with FANFARE_DATA_DIR.`,
  );
}

/** What stands against it. */
function makeFolders(directory: string): string | undefined {
  const missing: string[] = [];
  let nearest = directory;
  for (; !existsSync(nearest); nearest = path.dirname(nearest)) missing.unshift(nearest);
  try {
    if (!statSync(nearest).isDirectory()) return `${nearest} is not a folder`;
    accessSync(nearest, constants.W_OK | constants.X_OK);
    // One by one: Node's recursive way never ends where the system denies that a parent is there.
    for (const folder of missing) makeFolder(folder);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function makeFolder(folder: string): void {
  try {
    // Only root starts Postgres as another user, who has to pass through here but not to look around.
    mkdirSync(folder, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    // Another start was faster.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Who holds a data directory; undefined when nobody does. A stale socket is moved out of the way. */
export async function findHolder(
  directory: string,
): Promise<{ pid: number | undefined } | undefined> {
  const socketPath = socketPathIn(realpathSync(directory));
  const before = identityOf(socketPath);
  if (before === undefined) return undefined;
  // Asked twice, because a socket that is just being made refuses for a moment.
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
  // Another start may have replaced the stale socket between the question and the rename.
  if (identityOf(aside) !== before) linkSync(aside, socketPath);
  unlinkSync(aside);
  return undefined;
}

function socketPathIn(directory: string): string {
  const absolute = path.join(directory, 'lock.sock');
  const relative = path.relative(process.cwd(), absolute);
  const shorter = relative.length < absolute.length ? relative : absolute;
  if (Buffer.byteLength(absolute) <= longestSocketPath) return absolute;
  if (Buffer.byteLength(shorter) <= longestSocketPath) return shorter;
  throw new Error(
    `The path ${absolute} is too long for a socket (${longestSocketPath} bytes at the most); choose a shorter FANFARE_DATA_DIR.`,
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

/** The pid that answers; undefined when somebody is there who does not say. */
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
  // The number alone is given to the next new file.
  return stat && `${stat.ino} ${stat.mtimeNs}`;
}
