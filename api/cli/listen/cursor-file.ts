// Where `listen` keeps how far it came, so that the next run goes on from there.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { RefusedArgument } from '../refused-argument.ts';

/** Undefined: there is none yet. */
export async function readCursorFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
}

/** Whole or not at all. */
export async function writeCursorFile(path: string, cursor: string): Promise<void> {
  const beside = `${path}.new`;
  try {
    await writeFile(beside, `${cursor}\n`);
    await rename(beside, path);
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): RefusedArgument {
  return new RefusedArgument(`--cursor-file ${path} cannot be used: ${(error as Error).message}`);
}
