// The software bill of materials of the package, in CycloneDX 1.6.
import type { makeManifest } from '../package/manifest.ts';

export interface Bundled {
  name: string;
  version: string;
  license?: string;
}

/** Packages whose code is in ours come with their licenses. Packages that npm installs beside ours don't. */
export function writeBillOfMaterials(
  manifest: ReturnType<typeof makeManifest>,
  bundled: Bundled[],
): string {
  const installed = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const components = new Map<string, object>();
  for (const { name, version, license } of bundled) {
    const licenses = license === undefined ? {} : { licenses: [{ expression: license }] };
    components.set(purlOf(name, version), { ...componentOf(name, version), ...licenses });
  }
  for (const [name, version] of installed) {
    const scope = name in manifest.optionalDependencies ? 'optional' : 'required';
    components.set(purlOf(name, version), { ...componentOf(name, version), scope });
  }
  const { name, version, license } = manifest;
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        ...componentOf(name, version),
        type: 'application',
        licenses: [{ expression: license }],
      },
    },
    components: [...components.values()],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const componentOf = (name: string, version: string) => ({
  type: 'library',
  'bom-ref': purlOf(name, version),
  name,
  version,
  purl: purlOf(name, version),
});

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
