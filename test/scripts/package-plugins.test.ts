// The build of the package fails if the program opens a file that the package doesn't have.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inPlaceOf, placesOfFiles } from '../../scripts/package/plugins.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'fanfare-plugins-')));
});
afterEach(() => rmSync(root, { recursive: true }));

async function bundle(source: string, plugin: Plugin): Promise<string> {
  writeFileSync(join(root, 'main.ts'), source);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['main.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
    plugins: [plugin],
  });
  return outputFiles[0]!.text;
}

describe('placesOfFiles', () => {
  const source = "console.log(new URL('data.bin', import.meta.url));";

  test('gives a file its new place', async () => {
    const text = await bundle(source, placesOfFiles(root, { 'data.bin': 'elsewhere.bin' }));
    expect(text).toMatch(/new URL\("elsewhere\.bin", import\.meta\.url\)/);
  });

  test('refuses a file without a place', async () => {
    await expect(bundle(source, placesOfFiles(root, {}))).rejects.toThrow(
      'main.ts opens data.bin, which has no place.',
    );
  });
});

describe('inPlaceOf', () => {
  const replaced = { 'builder.ts': 'built/no-bundler.ts' };

  test('replaces a module', async () => {
    const source = "import { bundleWorkflowCode } from './builder.ts';\nbundleWorkflowCode();";
    expect(await bundle(source, inPlaceOf(root, replaced))).toContain(
      'The package contains the workflow bundle.',
    );
  });

  test('refuses a module that nothing imports any more', async () => {
    await expect(bundle('export {};', inPlaceOf(root, replaced))).rejects.toThrow(
      'Nothing imports builder.ts.',
    );
  });
});
