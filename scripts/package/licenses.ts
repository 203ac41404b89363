// The licenses of the packages whose code is in ours.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

export interface BundledPackage extends Manifest {
  folder: string;
}

/** The packages of these sources, in order. */
export function listBundled(root: string, sources: string[]): BundledPackage[] {
  const folders = new Set(sources.flatMap((source) => packageFolder.exec(source) ?? []));
  return [...folders]
    .map((folder) => {
      const file = readFileSync(join(root, folder, 'package.json'), 'utf8');
      const { name, version, license } = JSON.parse(file) as Manifest;
      return { name, version, ...(license === undefined ? {} : { license }), folder };
    })
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ name, version }: Manifest) => `${name}@${version}`;

export function writeLicenses(root: string, bundled: BundledPackage[]): string {
  const texts = bundled.map(
    ({ name, version, license = 'unknown', folder }) =>
      `## ${name} ${version} (${license})\n\n${readLicense(join(root, folder)) ?? 'The package has no file with its license.'}\n`,
  );
  return `# Licenses of the packages in this one\n\n${[...new Set(texts)].join('\n')}`;
}

function readLicense(folder: string): string | undefined {
  const name = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|-|$)/i.test(name));
  return name === undefined ? undefined : readFileSync(join(folder, name), 'utf8').trim();
}
