// Uploads and the live stream of the TypeScript client, over connections that break.
import { createReadStream, openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  Fanfare,
  uploadFile,
  type FanfareError,
  type PostUpdate,
} from '../../../clients/typescript/src/index.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { createLargeVideo, type LargeVideo } from '../../support/media/large-video.ts';
import { startFaultyProxy, type FaultyProxy } from '../../support/clients/faulty-proxy.ts';

let app: TestApp;
let proxy: FaultyProxy;
let client: Fanfare;
let video: LargeVideo;
beforeAll(async () => {
  video = await createLargeVideo(20);
  const documents = join(video.path, '..', 'documents.json');
  await writeFile(documents, '{}');
  // The documents of the client are allowed even here.
  app = await startApp({
    env: { FANFARE_PERSISTED_DOCUMENTS: documents, FANFARE_PERSISTED_ONLY: 'true' },
  });
  proxy = await startFaultyProxy(app.url);
  client = new Fanfare({ url: proxy.url, apiKey: app.tenant.key, fetch: throughProxy });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await app.stop();
  await video[Symbol.asyncDispose]();
});

/** Upload URLs have the public URL of the server. */
const throughProxy: typeof fetch = (url, init) =>
  fetch((url as string).replace(app.url, proxy.url), init);

const isUpload = ({ method }: { method: string }) => method === 'PUT';

/** The ranges of the parts that the upload sends, in MiB. */
async function rangesOf(upload: () => Promise<unknown>) {
  const before = proxy.requests.length;
  await upload();
  return proxy.requests
    .slice(before)
    .filter(isUpload)
    .map(({ headers }) => /^bytes (.*)\//.exec(headers['content-range']!)![1])
    .map((range) =>
      range!
        .split('-')
        .map((byte) => Math.round(Number(byte) / 1_048_576))
        .join('-'),
    );
}

describe('an upload', () => {
  test('sends a file in parts, and continues after lost answers and broken connections', async () => {
    proxy.plan(isUpload, [undefined, 'lose', undefined, 'cut']);
    const ranges = await rangesOf(async () => {
      const media = await client.media.upload(video.path);
      expect(media).toMatchObject({
        status: 'uploaded',
        filename: 'video.mp4',
        size_bytes: video.bytes,
      });
    });
    // NaN: it asks where to continue.
    expect(ranges).toEqual(['0-8', '8-16', 'NaN', '16-20', 'NaN', '16-20']);
  });

  test('sends a stream whose size is known, with one part in memory', async () => {
    proxy.plan(isUpload, [undefined, 'cut']);
    const options = { size: video.bytes, filename: 'stream.mp4', contentHash: video.sha256 };
    const media = await client.media.upload(createReadStream(video.path), options);
    expect(media).toMatchObject({ status: 'uploaded', content_type: 'video/mp4' });
  });

  test('refuses a stream of another size, a name without a known type, and a missing file', async () => {
    const { path, bytes } = video;
    for (const size of [bytes - 1, bytes + 1]) {
      const upload = client.media.upload(createReadStream(path), { size, filename: 'a.mp4' });
      await expect(upload).rejects.toMatchObject({ code: 'configuration' });
    }
    const bare = client.media.upload(new Blob(['a']));
    await expect(bare).rejects.toThrow('Set `contentType`');
    const missing = client.media.upload('missing.png');
    await expect(missing).rejects.toThrow("missing.png can't be read.");
  });

  test('reads a stream of unknown size first', async () => {
    const media = await client.media.upload(createReadStream(video.path), { filename: 'b.mp4' });
    expect(media).toMatchObject({ status: 'uploaded', size_bytes: video.bytes });
  });

  test('is continued by another process, with the ID or with the upload URL alone', async () => {
    for (const isByUrl of [false, true]) {
      const created = await client.media.create({ filename: 'c.mp4', content_type: 'video/mp4' });
      await fetch(created.upload_url, {
        method: 'PUT',
        headers: { 'Content-Range': `bytes 0-1048575/${video.bytes}` },
        body: (await readFirst(video.path)) as Uint8Array<ArrayBuffer>,
      });
      const upload = isByUrl
        ? uploadFile(created.upload_url, video.path)
        : client.media.upload(await openAsBlob(video.path), { mediaId: created.id });
      expect(await upload).toMatchObject({ id: created.id, status: 'uploaded' });
    }
  });

  test('throws the refusal of a file that is no media', async () => {
    const path = join(video.path, '..', 'fake.png');
    await writeFile(path, 'no picture');
    const upload = client.media.upload(path);
    await expect(upload).rejects.toMatchObject({ code: 'validation_error', status: 422 });
  });

  test('ends with its signal', async () => {
    const upload = client.media.upload(video.path, { signal: AbortSignal.abort(new Error('no')) });
    await expect(upload).rejects.toThrow('no');
  });
});

async function readFirst(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: 1_048_575 }))
    chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('the live stream', () => {
  const draft = async (caption: string) =>
    (await client.posts.create({ caption, status: 'draft' })).id;

  test('resumes after each break, and misses and repeats nothing', async () => {
    const stopping = new AbortController();
    const created: string[] = [];
    const lost: string[] = [];
    const seen: string[] = [];
    const onLost = ({ code }: { code: string }) => lost.push(code);
    const first = await draft('known before');
    const { signal } = stopping;
    const stream = client.live.posts({ signal, onLost });
    const next = stream.next();
    await expect
      .poll(
        () => proxy.requests.filter(({ headers }) => headers.accept === 'text/event-stream').length,
      )
      .toBe(1);
    for (let round = 0; round < 3; round++) {
      created.push(await draft(`round ${round}`));
      const { value } = round === 0 ? await next : await stream.next();
      const { change, post_id, post } = value as PostUpdate;
      expect(change).toBe('created');
      expect(post).toMatchObject({ caption: `round ${round}`, status: 'draft', results: [] });
      seen.push(post_id);
      proxy.breakAll();
    }
    expect(seen).toEqual(created);
    expect(seen).not.toContain(first);
    expect(lost).toEqual(['connection_failed', 'connection_failed']);
    const end = stream.next();
    stopping.abort();
    expect(await end).toEqual({ done: true, value: undefined });
  });

  test('resumes after 40 seconds of silence', async () => {
    let isSilent = false;
    const silencing: typeof fetch = async (...asked) => {
      const { body, headers } = await fetch(...asked);
      const transform = (bytes: Uint8Array, controller: TransformStreamDefaultController) => {
        if (!isSilent) controller.enqueue(bytes);
      };
      return new Response(body!.pipeThrough(new TransformStream({ transform })), { headers });
    };
    const wait = setTimeout;
    const shorten = (run: () => void, ms?: number) => wait(run, ms === 40_000 ? 1_000 : ms);
    const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shorten);
    try {
      const id = await draft('silent');
      const lost: FanfareError[] = [];
      const onLost = (error: FanfareError) => void lost.push(error);
      const { live } = new Fanfare({ url: app.url, apiKey: app.tenant.key, fetch: silencing });
      const stream = live.posts({ id, onLost });
      expect((await stream.next()).value).toMatchObject({ change: 'present' });
      isSilent = true;
      const next = stream.next();
      await client.posts.update(id, { caption: 'Changed' });
      await expect.poll(() => lost.length, { timeout: 10_000 }).toBeGreaterThan(0);
      isSilent = false;
      expect((await next).value).toMatchObject({ change: 'updated', post: { caption: 'Changed' } });
      expect(lost[0]).toMatchObject({ code: 'connection_failed', isRetriable: true });
      await stream.return();
    } finally {
      spy.mockRestore();
    }
  });

  test('shows the results of one post in the words of REST, from its current state on', async () => {
    const account = (await app.tenant.connectSandbox('ada')).id;
    const { id } = await client.posts.create({ caption: 'Shown', account_ids: [account] });
    for await (const { post, change } of client.live.posts({ id })) {
      expect(change).not.toBe('bookmark');
      if (post?.status !== 'published') continue;
      expect(await client.posts.get(id)).toMatchObject({ ...post, results: post.results });
      break;
    }
  });

  test('throws what a repeat would not change', async () => {
    const { key } = app.tenant;
    const refused = new Fanfare({ url: app.url, apiKey: `${key}x` }).live.posts();
    await expect(refused.next()).rejects.toMatchObject({ code: 'unauthorized' });
    const unknown = client.live.posts({ after: 'no cursor' });
    await expect(unknown.next()).rejects.toMatchObject({ code: 'validation_error' });
    const nowhere = new Fanfare({ url: 'http://127.0.0.1:1', apiKey: key, maxRetries: 0 });
    await expect(nowhere.live.posts().next()).rejects.toMatchObject({ code: 'connection_failed' });
  });

  test('resumes from a cursor of an earlier process', async () => {
    const one = await draft('one');
    const cursors = new Map<string, string>();
    const { signal } = new AbortController();
    for await (const { post_id, cursor } of client.live.posts({ id: one, signal })) {
      cursors.set(post_id, cursor);
      break;
    }
    const two = await draft('two');
    const resumed = client.live.posts({ after: cursors.get(one)! });
    for await (const { post_id, change } of resumed) {
      if (post_id !== two) continue;
      expect(change).toBe('created');
      break;
    }
  });
});
