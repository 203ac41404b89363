// The file in which `listen` saves its cursor, so that the next run resumes from it.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { InvalidArgument } from '../output/invalid-argument.ts';

/** Undefined if the file doesn't exist yet. */
export async function readCursorFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
}

export async function writeCursorFile(path: string, cursor: string): Promise<void> {
  const beside = `${path}.new`;
  try {
    await writeFile(beside, `${cursor}\n`);
    await rename(beside, path);
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): InvalidArgument {
  return new InvalidArgument(`--cursor-file ${path} cannot be used: ${(error as Error).message}`);
}
