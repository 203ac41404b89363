// The workflows as one file of JavaScript, which the worker runs in its sandbox.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const room = fileURLToPath(new URL('../../', import.meta.url));
const bundler = fileURLToPath(new URL('bundle-workflows.ts', import.meta.url));

/** Bundling takes a second or two, so a bundle is kept by the content it was made of. */
export async function workflowBundle(cacheDirectory: string): Promise<{ codePath: string }> {
  const codePath = join(cacheDirectory, `workflows-${await contentHash()}.js`);
  const isKept = await access(codePath).then(
    () => true,
    () => false,
  );
  if (!isKept) {
    const unfinished = `${codePath}.${process.pid}`;
    await mkdir(cacheDirectory, { recursive: true });
    await promisify(execFile)(process.execPath, [bundler, unfinished]);
    await rename(unfinished, codePath);
  }
  return { codePath };
}

async function contentHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['workflows', 'schema']) {
    for (const name of (await readdir(join(room, folder))).toSorted()) {
      if (name.endsWith('.ts')) hash.update(await readFile(join(room, folder, name)));
    }
  }
  hash.update(await readFile(join(room, 'package.json')));
  return hash.digest('hex').slice(0, 16);
}
