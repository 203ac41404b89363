// Puts a program in its place in one step, so that nobody ever sees half of it.
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

export interface Installation {
  /** Where the program is to be. */
  target: string;
  /** Throws when the fetched program is not the right one. */
  check: (program: string) => Promise<void>;
  signal?: AbortSignal | undefined;
}

const prefix = '.fetch-';
const abandonedAfterMs = 3_600_000;

/** `fetch` gets a folder of its own beside the target and returns the path of the program in it. */
export async function installExecutable(
  { target, check }: Installation,
  fetch: (directory: string) => Promise<string>,
): Promise<string> {
  const parent = path.dirname(target);
  await mkdir(parent, { recursive: true });
  await removeAbandoned(parent);
  const directory = await mkdtemp(path.join(parent, prefix));
  try {
    const program = await fetch(directory);
    await chmod(program, 0o755);
    await check(program);
    await rename(program, target);
    return target;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A start that was killed while it fetched leaves its folder behind. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const directory = path.join(parent, name);
    const changedAt = (await stat(directory).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (changedAt < Date.now() - abandonedAfterMs) {
      await rm(directory, { recursive: true, force: true });
    }
  }
}
