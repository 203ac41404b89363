// Makes Temporal's database file in one step: a server that is killed over it leaves half a schema.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { ServerProcess } from './server-process.ts';

// What SQLite keeps beside a database file while it writes.
const companions = ['-journal', '-wal', '-shm'];

/**
 * The development server makes the tables of a missing file and trusts a file that is there. So it
 * makes them in a file of another name, which gets the right one once the server has come up on it.
 */
export async function createTemporalDatabase(
  file: string,
  launch: (file: string) => Promise<ServerProcess>,
): Promise<void> {
  const unfinished = `${file}.new`;
  // Companions of a file that somebody has removed would be taken for those of the new one.
  for (const companion of companions) rmSync(`${file}${companion}`, { force: true });
  for (const suffix of ['', ...companions]) rmSync(`${unfinished}${suffix}`, { force: true });
  const server = await launch(unfinished);
  await server.stop();
  const unwritten = companions.filter((companion) => hasContent(`${unfinished}${companion}`));
  if (unwritten.length > 0 || !existsSync(unfinished)) {
    throw new Error(`Temporal did not finish its database ${unfinished}.`);
  }
  renameSync(unfinished, file);
  for (const companion of companions) rmSync(`${unfinished}${companion}`, { force: true });
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
