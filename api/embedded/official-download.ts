// Fetches a program from Temporal's own download site.
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from './executable-search.ts';
import { installExecutable } from './install-executable.ts';
import type { Installation } from './install-executable.ts';

export interface OfficialArtifact {
  /** `cli` or `temporal-test-server`. */
  name: string;
  /** `v1.9.1`, or `default` for what the SDK of `query` goes with. */
  version: string;
  query?: Record<string, string>;
}

const answerTimeoutMs = 5000;
const stallTimeoutMs = 20_000;

/** Gives up within seconds where the site is out of reach. */
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
  const stop = new AbortController();
  const abort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const quiet = setTimeout(() => stop.abort(new Error('no answer in time')), answerTimeoutMs);
  try {
    const info = await get(
      `https://temporal.download/${artifact.name}/${artifact.version}?${query.toString()}`,
      stop.signal,
    );
    const { archiveUrl, fileToExtract } = (await info.json()) as Record<string, string>;
    if (archiveUrl === undefined || fileToExtract === undefined) {
      throw new Error('the download site answered something else');
    }
    return await installExecutable(installation, async (directory) => {
      const archive = path.join(directory, 'archive.tar.gz');
      quiet.refresh();
      const response = await get(archiveUrl, stop.signal);
      if (response.body === null) throw new Error('the archive is empty');
      progress(`Downloading ${archiveUrl}`);
      const watch = new Transform({
        transform(chunk, _encoding, done) {
          lastChunkAt = Date.now();
          done(undefined, chunk);
        },
      });
      let lastChunkAt = Date.now();
      clearTimeout(quiet);
      const stalled = setInterval(() => {
        if (Date.now() - lastChunkAt > stallTimeoutMs) stop.abort(new Error('the download stalls'));
      }, 1000);
      try {
        await pipeline(Readable.fromWeb(response.body), watch, createWriteStream(archive), {
          signal: stop.signal,
        });
      } finally {
        clearInterval(stalled);
      }
      await run('tar', ['-xzf', archive, '-C', directory, fileToExtract], { timeoutMs: 60_000 });
      return path.join(directory, fileToExtract);
    });
  } finally {
    clearTimeout(quiet);
    signal?.removeEventListener('abort', abort);
  }
}

async function get(url: string, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    const cause = (error as Error).cause;
    const reason = cause instanceof Error ? cause.message : (error as Error).message;
    throw new Error(`${new URL(url).host} is out of reach (${reason})`, { cause: error });
  }
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  return response;
}
