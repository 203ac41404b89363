// The workflows as one file of JavaScript, which the worker runs in its sandbox.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Bundling takes a second or two, so each bundle is cached under the hash of its sources. */
export async function workflowBundle(cacheDirectory: string): Promise<{ codePath: string }> {
  const codePath = join(cacheDirectory, `workflows-${await contentHash()}.js`);
  if (!existsSync(codePath)) {
    const unfinished = `${codePath}.${process.pid}`;
    await mkdir(cacheDirectory, { recursive: true });
    // Bundles in a separate process, because bundling leaves 100 MB of memory behind.
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), unfinished]);
    await rename(unfinished, codePath);
  }
  return { codePath };
}

async function contentHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['workflows', 'schema']) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.toSorted()) {
      if (name.endsWith('.ts')) hash.update(await readFile(join(root, folder, name)));
    }
  }
  hash.update(await readFile(join(root, 'package.json')));
  return hash.digest('hex').slice(0, 16);
}

if (import.meta.main) {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows/index.ts'),
    logger: new DefaultLogger('ERROR'),
  });
  await writeFile(process.argv[2]!, code);
}
