// Programs that tests run, each built from its Go module and kept in the cache.
import { buildOnce, runInstaller } from './cache.ts';

const buildTimeoutMs = 20 * 60_000;

/** Returns the folder with the programs. The first call takes minutes, and rejects where Go is missing. */
export function buildGoPrograms(name: string, packages: string[]): Promise<string> {
  return buildOnce(name, (folder) =>
    runInstaller('go', ['install', '-p', '2', ...packages], {
      env: { ...process.env, GOBIN: folder },
      timeout: buildTimeoutMs,
    }),
  );
}
