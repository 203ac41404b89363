// Large files go to the sandbox over the program's own server, and no one holds them in memory.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Target } from '../../../../../activities/platforms/platform.ts';
import { createSandboxPlatform } from '../../../../../activities/platforms/sandbox/index.ts';
import { useApp } from '../../../../support/app/app.ts';
import {
  createRandomFile,
  fileMedia,
  type RandomFile,
} from '../../../../support/media/target-media.ts';
import { forFile } from '../../../../support/fixtures.ts';
import { formOf } from '../../../../support/networks/connection.ts';
import { prepareTarget, targetOf } from '../../../../support/networks/target.ts';

const mb = 1_048_576;
const mostMb = 80;

const app = useApp({ roles: { api: true, worker: false }, env: { FANFARE_SANDBOX: 'true' } });
const small = forFile(() => createRandomFile(10 * mb));
const large = forFile(() => createRandomFile(100 * mb));
const signal = AbortSignal.timeout(120_000);

function connect() {
  const url = `${app.url}/sandbox`;
  return createSandboxPlatform({ fetch, apiUrl: url, publicUrl: url });
}

async function toTarget({ path, sha256 }: RandomFile): Promise<Target> {
  const connection = await formOf(connect()).run({ handle: 'ada' }, signal);
  return targetOf(connection, { media: [fileMedia(path, { sha256 })] });
}

/** Returns the ID of the file at the network. */
async function upload(file: RandomFile): Promise<string> {
  const state = await prepareTarget(connect(), await toTarget(file), signal);
  return (state as { uploads: { id: string }[] }).uploads[0]!.id;
}

/** Returns the SHA-256 of the bytes. */
async function download(id: string): Promise<string> {
  const hash = createHash('sha256');
  const response = await fetch(`${app.url}/sandbox/media/${id}`, { signal });
  for await (const chunk of response.body!) hash.update(chunk);
  return hash.digest('hex');
}

/** By how many megabytes the process grows during the work. */
async function measureGrowth<T>(work: () => Promise<T>): Promise<{ result: T; grownMb: number }> {
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const result = await work();
  clearInterval(timer);
  return { result, grownMb: (peak - idle) / mb };
}

test('memory stays small while 100 MB are sent, and while they are served', async () => {
  // The first file brings code and buffers that are used again.
  await download(await upload(small));
  const sent = await measureGrowth(() => upload(large));
  expect(sent.grownMb).toBeLessThan(mostMb);
  const served = await measureGrowth(() => download(sent.result));
  expect(served.result).toBe(large.sha256);
  expect(served.grownMb).toBeLessThan(mostMb);
}, 120_000);

test('an upload continues where the bytes end, even if its state says less', async () => {
  const platform = connect();
  const target = await toTarget(small);
  const created = await platform.prepare!(target, signal);
  const before = { ...target, state: created.state };
  const first = await platform.prepare!(before, signal);
  expect(first).toMatchObject({ outcome: 'more', state: { uploads: [{ received: 8 * mb }] } });
  const last = await platform.prepare!(before, signal);
  expect(last).toMatchObject({ outcome: 'prepared', state: { uploads: [{ received: 10 * mb }] } });
});
