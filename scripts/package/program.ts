// Bundles the program into JavaScript, because Node strips no types below `node_modules`.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { build, type Plugin } from 'esbuild';
import { bridgeOutside, inPlaceOf, placesOfFiles } from './plugins.ts';

/** Files that Node starts by their paths, by their names in the package. */
const entryPoints = {
  cli: 'api/cli.ts',
  'image-process': 'activities/media/images/child.ts',
  'video-thread': 'activities/media/video-thread.ts',
  // Temporal's SDK looks for this name beside its own code.
  'workflow-worker-thread':
    'node_modules/@temporalio/worker/lib/workflow/workflow-worker-thread.js',
};

/** Files and folders that the program reads, with their names in the package. */
const data = {
  'schema/openapi.json': 'openapi.json',
  'api/reference/viewer/standalone.js': 'reference-viewer.js',
  'dist/dashboard/': 'dashboard/',
};

/** Modules that build something at their first use. The package contains the result. */
const builders = {
  'api/dashboard/build.ts': 'built/dashboard.ts',
  'activities/dispatch/workflow-bundle.ts': 'built/workflow-bundle.ts',
  'node_modules/@temporalio/worker/lib/workflow/bundler.js': 'built/no-bundler.ts',
};

/** `sharp` has native code. The others are optional for packages that Fanfare uses, and it doesn't need them. */
const external = ['sharp', 'bufferutil', 'pg-native', 'utf-8-validate'];

/** CommonJS modules expect these names. */
const banner = `import { createRequire as createRequireOfFile } from 'node:module';
const require = createRequireOfFile(import.meta.url);
const __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/** Writes all files of the program into one folder. Returns the sources, relative to the root. */
export async function bundleProgram(root: string, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const names = Object.fromEntries(
    Object.entries(entryPoints).map(([name, source]) => [source, `${name}.js`]),
  );
  const plugins: Plugin[] = [
    inPlaceOf(root, builders),
    placesOfFiles(root, { ...names, ...data }),
    bridgeOutside,
  ];
  const [{ metafile }, workflows] = await Promise.all([
    build({
      absWorkingDir: root,
      entryPoints,
      outdir: folder,
      chunkNames: '[name]-[hash]',
      platform: 'node',
      target: 'node24',
      format: 'esm',
      bundle: true,
      splitting: true,
      // Errors and metrics contain names.
      keepNames: true,
      sourcemap: 'linked',
      sourcesContent: false,
      legalComments: 'none',
      metafile: true,
      // As Node resolves. Otherwise a second graphql would be loaded.
      conditions: ['node', 'module-sync'],
      external,
      // The paths of tsconfig.json are only for types.
      tsconfigRaw: {},
      banner: { js: banner },
      plugins,
      logLevel: 'warning',
    }),
    bundleWorkflowCode({
      workflowsPath: join(root, 'workflows/index.ts'),
      logger: new DefaultLogger('ERROR'),
    }),
  ]);
  await writeFile(join(folder, 'workflows.js'), workflows.code);
  for (const [from, to] of Object.entries(data)) {
    await cp(join(root, from), join(folder, to), { recursive: true });
  }
  // Temporal's SDK uses this file to name the places of errors in workflows.
  const worker = createRequire(join(root, 'node_modules/@temporalio/worker/package.json'));
  const mappings = join(dirname(worker.resolve('source-map')), 'lib/mappings.wasm');
  await cp(mappings, join(folder, 'mappings.wasm'));
  return Object.keys(metafile.inputs);
}
