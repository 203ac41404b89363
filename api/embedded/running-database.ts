// Finds the embedded database while another process runs it, for commands beside `start`.
import { existsSync, realpathSync } from 'node:fs';
import { findHolder } from './data-directory.ts';
import { databaseUrl, readOrMakePassword } from './postgres-cluster.ts';
import { readLastPorts } from './server-process.ts';

/** The address of the database that a running program keeps here; undefined when none runs. */
export async function findRunningDatabase(dataDirectory: string): Promise<string | undefined> {
  if (!existsSync(dataDirectory)) return undefined;
  const directory = realpathSync(dataDirectory);
  if ((await findHolder(directory)) === undefined) return undefined;
  const port = readLastPorts(directory, 'postgres')['port'];
  if (port === undefined) return undefined;
  return databaseUrl(readOrMakePassword(directory, true), port);
}
