// The workflows as one file of JavaScript, which the worker runs in its sandbox.
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const room = fileURLToPath(new URL('../', import.meta.url));

/** Bundling takes a second or two and much memory, so a bundle is kept by the content it was made of. */
export async function workflowBundle(
  cacheDirectory: string | undefined,
): Promise<{ code: string }> {
  const build = () =>
    bundleWorkflowCode({
      workflowsPath: join(room, 'workflows', 'index.ts'),
      logger: new DefaultLogger('ERROR'),
    });
  if (cacheDirectory === undefined) return build();
  const path = join(cacheDirectory, `workflows-${await contentHash()}.js`);
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept !== undefined) return { code: kept };
  const { code } = await build();
  await mkdir(cacheDirectory, { recursive: true });
  await writeFile(`${path}.${process.pid}`, code);
  await rename(`${path}.${process.pid}`, path);
  return { code };
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
