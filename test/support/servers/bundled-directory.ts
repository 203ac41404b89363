// A data folder with the workflow bundle of the run, so that no program has to make one first.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createDataDirectory } from '../app/program.ts';

export function createBundledDirectory(): string {
  const directory = createDataDirectory();
  symlinkSync(inject('cacheDirectory'), join(directory, 'cache'));
  return directory;
}
