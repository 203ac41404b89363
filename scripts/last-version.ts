// Reads generated files as the last version in the changelog has them.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Before the first version, the file in the working tree. */
export async function readLastVersion(file: string): Promise<string> {
  const version = /^## \[(\d+\.\d+\.\d+)\]/m.exec(await readFile('CHANGELOG.md', 'utf8'))?.[1];
  if (version === undefined) return readFile(file, 'utf8');
  const { stdout } = await promisify(execFile)('git', ['show', `v${version}:${file}`], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
