// 300 MB go from a client to the sandbox, and every process is killed once on the way: no byte is lost, no
// part is sent twice but the one in flight, and no process grows with the file.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { createApi } from '../support/app/api.ts';
import { startInstallation, waitMs, withDatabase } from '../support/app/installation.ts';
import { waitForPost } from '../support/app/seed.ts';
import { createProgramDirectory } from '../support/checks/readme.ts';
import { createLargeVideo } from '../support/media/large-video.ts';
import { createMedia, getMedia } from '../support/media/uploads.ts';
import { startPartProxy, type PartProxy, type SentPart } from '../support/servers/part-proxy.ts';

const mb = 1_048_576;
const fileMb = 300;
const mostGrownMb = 80;

/** Resolves while the part with this byte is on its way. */
async function waitForByte(parts: () => SentPart[], byte: number): Promise<void> {
  const isSent = () => parts().some(({ start, passedBytes }) => start + passedBytes > byte);
  const message = `Byte ${byte} was not sent`;
  await vi.waitUntil(isSent, { timeout: waitMs, interval: 5, message });
}

const isTaken = ({ status }: SentPart) => status === 200 || status === 308;
const isBroken = ({ status }: SentPart) => status === undefined || status >= 500;
const isRefused = ({ status }: SentPart) => status === 409;

/** The parts that begin before the end of an earlier one. */
function findOverlapping(parts: SentPart[]): SentPart[] {
  return parts.filter(({ start }, i) => parts.slice(0, i).some(({ end }) => end > start));
}

async function download(url: string): Promise<string> {
  const hash = createHash('sha256');
  const response = await fetch(url, { signal: AbortSignal.timeout(waitMs) });
  for await (const chunk of response.body!) hash.update(chunk);
  return hash.digest('hex');
}

test('300 MB arrive once even if each process is killed while they are uploaded and published', async () => {
  await using video = await createLargeVideo(fileMb);
  await using proxies = new AsyncDisposableStack();
  let proxy!: PartProxy;
  await using installation = await startInstallation(
    async (port) => (proxy = proxies.use(await startPartProxy(port))),
  );
  const { databaseUrl, api: server, worker } = installation;
  const api = createApi(proxy.url, await installation.createProject());
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1_000).toFixed(1);
  const uploads = () => proxy.parts.filter(({ path }) => path.startsWith('/uploads/'));
  const sends = () => proxy.parts.filter(({ path }) => path.startsWith('/sandbox/'));

  const connected = await api.post('/v1/accounts/connect', {
    platform: 'sandbox',
    credentials: { handle: 'ada' },
  });
  const { id, upload_url } = await createMedia(api, {
    filename: 'video.mp4',
    content_type: 'video/mp4',
    content_hash: video.sha256,
  });
  using folder = new DisposableStack();
  const programs = folder.adopt(createProgramDirectory(), ({ remove }) => remove());
  const client = programs.extract('docs/media.md', 'upload.mjs');
  const uploading = promisify(execFile)(process.execPath, [client, video.path, upload_url], {
    timeout: waitMs,
  });
  await Promise.all([uploading, waitForByte(uploads, 125 * mb).then(() => server.replace())]);
  const { data } = JSON.parse((await uploading).stdout);
  expect(data).toMatchObject({ id, status: 'uploaded', kind: 'video', duration_ms: 300_000 });
  expect(data.size_bytes).toBe(video.bytes);
  expect(await getMedia(api, id)).toEqual(data);
  const uploadedAfter = seconds();

  const created = await api.post('/v1/posts', {
    caption: 'Every process was killed.',
    account_ids: [connected.body.data.id],
    media_ids: [id],
  });
  expect(created.status, created.text).toBe(202);
  const kills: { name: string; first: number }[] = [];
  for (const [name, atMb, kill] of [
    ['worker', 45, () => worker.replace()],
    ['api', 105, () => server.replace()],
    ['postgres', 165, () => installation.kill9('postgres')],
    ['temporal', 225, () => installation.kill9('temporal')],
  ] as const) {
    await waitForByte(sends, atMb * mb);
    kills.push({ name, first: sends().length - 1 });
    await kill();
  }
  const post = await waitForPost(api, created.body.data.id, { timeoutMs: waitMs });
  expect(post).toMatchObject({ status: 'published' });
  const publishedAfter = seconds();

  const memory = Object.entries({ api: server, worker }).map(([name, { idleMb, peakMb }]) => ({
    name,
    idleMb: Math.round(idleMb),
    grownMb: Math.round(peakMb - idleMb),
  }));

  // At the sandbox: one post, and the file.
  const posts = await withDatabase(databaseUrl, (db) =>
    db.selectFrom('sandbox_posts').select(['reference', 'media']).execute(),
  );
  const mediaId = sends()[0]!.path.split('/').at(-1)!;
  expect(posts).toEqual([{ reference: post.results[0]!.id, media: [mediaId] }]);
  expect(await download(`${proxy.url}/sandbox/media/${mediaId}`)).toBe(video.sha256);

  // The client repeats one part. While the lease of the dead writer lasts, it is refused.
  expect(findOverlapping(uploads().filter(isTaken))).toEqual([]);
  expect(uploads().filter(isBroken)).toHaveLength(1);
  expect(new Set(findOverlapping(uploads()).map(({ start }) => start)).size).toBe(1);

  // Each kill breaks off one part at most. The next attempt continues where the bytes end.
  expect(findOverlapping(sends().filter((part) => !isBroken(part)))).toEqual([]);
  const counts = kills.map(({ name, first }, i) => {
    const after = sends().slice(first, kills[i + 1]?.first);
    return { name, broken: after.filter(isBroken).length };
  });
  for (const { name, broken } of counts) {
    expect(broken, `parts that broke off at the kill of ${name}`).toBeLessThanOrEqual(1);
  }
  // A part may end when its sender is dead, while the next attempt has the place where it was.
  expect(sends().filter(isRefused).length).toBeLessThanOrEqual(1);

  console.log(
    `Uploaded after ${uploadedAfter} s, published after ${publishedAfter} s; ` +
      `${counts.map(({ name, broken }) => `${name}: ${broken} broken`).join('; ')}; ` +
      `${sends().filter(isRefused).length} sent again; ` +
      memory.map(({ name, idleMb, grownMb }) => `${name}: ${idleMb} + ${grownMb} MB`).join('; '),
  );
  for (const { name, idleMb, grownMb } of memory) {
    if (process.platform === 'linux') expect(idleMb).toBeGreaterThan(0);
    expect(grownMb, `growth of ${name}`).toBeLessThanOrEqual(mostGrownMb);
  }
}, 300_000);
