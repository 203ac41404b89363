// Writes the workflow bundle to the path it is given; a process of its own, since bundling leaves 100 MB behind.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Name the file to write.');

const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
  logger: new DefaultLogger('ERROR'),
});
await writeFile(path, code);
