// The stamp of a build of the dashboard, which names the sources that it was built from.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the sources, which has what `npm run generate` makes from the schema. */
export const sources = fileURLToPath(new URL('app/', import.meta.url));
/** The versions of the packages that are built in. */
const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url));

/** Vite writes this file. */
export const stampName = 'sources.txt';

/** Differs after each change of what a build depends on. */
export async function hashSources(): Promise<string> {
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = entries.flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
  const hash = createHash('sha256');
  for (const file of [...files.toSorted(), lockFile]) {
    hash
      .update(`${file.slice(sources.length)}\0`)
      .update(await readFile(file))
      .update('\0');
  }
  return hash.digest('hex');
}
