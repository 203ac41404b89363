// One project floods an installation with hostile images. Each process stays within its memory limit, and another
// project's pictures are public at most 5 s later than on a quiet installation, nine of ten.
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { createApi, type Api } from '../support/app/api.ts';
import { startInstallation } from '../support/app/installation.ts';
import { readMemoryMb } from '../support/app/process-memory.ts';
import { waitForPost } from '../support/app/seed.ts';
import { hostileImages } from '../support/media/hostile-images.ts';
import { listImageProcesses, ownMemory } from '../support/media/image-processes.ts';
import { noise } from '../support/media/samples.ts';
import { createMedia, putBytes } from '../support/media/uploads.ts';

const compose = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
/** Of `api`, and of `worker`. */
const memoryLimitMb = Number(/mem_limit: (\d+)m/.exec(compose)![1]);
const mostLaterMs = 5_000;

async function connect(api: Api): Promise<string> {
  const body = { platform: 'sandbox', credentials: { handle: 'ada' } };
  return (await api.post('/v1/accounts/connect', body)).body.data.id;
}

/** Uploads the file as a client does: again while the server asks for it. Returns the media, or the error's code. */
async function upload(api: Api, contentType: string, bytes: Buffer): Promise<string> {
  const { id, upload_url } = await createMedia(api, { content_type: contentType });
  return vi.waitFor(
    async () => {
      const { status, body } = await putBytes(upload_url, bytes);
      if (status < 400) return id;
      if (body.error.is_retriable) throw new Error(body.error.message);
      return body.error.code as string;
    },
    { timeout: 300_000, interval: 500 },
  );
}

/** How long the way of a picture takes, from its upload until it is public. */
async function publishPicture(api: Api, account: string, photo: Buffer): Promise<number> {
  const startedMs = performance.now();
  const media = await upload(api, 'image/jpeg', photo);
  expect(media).toMatch(/^med_/);
  const body = { caption: 'A picture.', account_ids: [account], media_ids: [media] };
  const created = await api.post('/v1/posts', body);
  expect(created.status, created.text).toBe(202);
  const post = await waitForPost(api, created.body.data.id, { timeoutMs: 60_000 });
  expect(post.status).toBe('published');
  return performance.now() - startedMs;
}

/** Of a process and those that it starts for images. */
const memoryOf = (pid: number) =>
  readMemoryMb(pid) + ownMemory(listImageProcesses(pid)) / 1_048_576;

test.runIf(process.platform === 'linux')(
  'a flood of hostile images stops neither the process nor another project',
  async () => {
    await using installation = await startInstallation();
    const [flooding, quiet] = await Promise.all(
      [0, 1].map(async () => createApi(installation.url, await installation.createProject())),
    );
    const [floodingAccount, quietAccount] = await Promise.all([flooding!, quiet!].map(connect));
    const photo = await noise(1_200, 800).jpeg().toBuffer();
    await publishPicture(quiet!, quietAccount!, photo);
    const quietMs = await publishPicture(quiet!, quietAccount!, photo);

    const roles = [installation.api, installation.worker];
    const pids = roles.map(({ pid }) => pid);
    const peaks = [0, 0];
    const watching = setInterval(() => {
      pids.forEach((pid, i) => (peaks[i] = Math.max(peaks[i]!, memoryOf(pid))));
    }, 50);
    const files = await Promise.all(
      hostileImages.map(async ({ contentType, make }) => ({ contentType, bytes: await make() })),
    );
    let ended = 0;
    const flood = files.map(async ({ contentType, bytes }) => {
      const media = await upload(flooding!, contentType, bytes);
      ended++;
      if (!media.startsWith('med_')) return media;
      const body = { caption: media, account_ids: [floodingAccount], media_ids: [media] };
      const { status, body: answer } = await flooding!.post('/v1/posts', body);
      return status === 202 ? answer.data.id : answer.error.issues[0].code;
    });
    await expect.poll(() => ended, { timeout: 60_000 }).toBeGreaterThan(0);
    const busyMs: number[] = [];
    while (ended < files.length) busyMs.push(await publishPicture(quiet!, quietAccount!, photo));
    const outcomes = await Promise.all(flood);
    const posts = outcomes.filter((outcome) => outcome.startsWith('post_'));
    for (const id of posts) await waitForPost(flooding!, id, { timeoutMs: 120_000 });
    clearInterval(watching);

    console.log(
      `Quiet: ${Math.round(quietMs)} ms. Beside the flood: ${busyMs.map(Math.round).join(', ')} ms. ` +
        `api: ${Math.round(peaks[0]!)} MB, worker: ${Math.round(peaks[1]!)} MB. ` +
        `${posts.length} of ${files.length} images were accepted and published.`,
    );
    expect(busyMs.length).toBeGreaterThan(3);
    // The flood also fills the disk's queue, so a single picture may wait for a sync of the disk.
    const sorted = busyMs.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length * 0.9)]! - quietMs).toBeLessThan(mostLaterMs);
    expect(posts.length).toBeGreaterThan(5);
    for (const peak of peaks) expect(peak).toBeLessThan(memoryLimitMb);
    expect(roles.map(({ pid }) => pid)).toEqual(pids);
    for (const pid of pids) expect(readMemoryMb(pid)).toBeGreaterThan(0);
  },
  600_000,
);
