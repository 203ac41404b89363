// Renders the chart with Helm's own Go module, in a program that is built once for each version of its sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOnce, runInstaller } from '../servers/cache.ts';

const source = fileURLToPath(new URL('../../chart/render/', import.meta.url));
export const chart = fileURLToPath(new URL('../../../charts/fanfare/', import.meta.url));
const buildTimeoutMs = 15 * 60_000;

// oxlint-disable-next-line typescript/no-explicit-any -- tests read into objects of every kind
export type KubernetesObject = any;

export interface Rendered {
  /** Why the chart was not rendered. */
  error?: string;
  /** What Helm's linter says. */
  lint: string[];
  /** Decoded strictly into the types of Kubernetes. */
  objects: KubernetesObject[];
}

export type Render = (values: object) => Rendered;

/** The first call takes minutes. Rejects where Go is missing. */
export async function buildRenderer(): Promise<Render> {
  const digest = createHash('sha256');
  for (const name of ['go.mod', 'go.sum', 'main.go'])
    digest.update(readFileSync(join(source, name)));
  const folder = await buildOnce(`chart-${digest.digest('hex').slice(0, 16)}`, (target) =>
    runInstaller('go', ['build', '-p', '2', '-o', join(target, 'render'), '.'], {
      cwd: source,
      env: process.env,
      timeout: buildTimeoutMs,
    }),
  );
  return (values) => {
    const { status, stdout, stderr } = spawnSync(join(folder, 'render'), [chart], {
      input: JSON.stringify([values]),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return (JSON.parse(stdout) as Rendered[])[0]!;
  };
}
