// Media that are fetched from real servers.
import { createServer } from 'node:net';
import { readdir, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { DownloadLimits } from '../../../activities/media/download.ts';
import {
  createFetching,
  fetchOnce,
  type FetchingDependencies,
} from '../../../activities/media/fetch-media.ts';
import { openStore } from '../../../activities/media/store/open.ts';
import { StoreError, type MediaStore } from '../../../activities/media/store/store.ts';
import { insertFetches, refetchMedia } from '../../../schema/database/media/fetching.ts';
import { listMediaToEmpty, removeEmptiedMedia } from '../../../schema/database/media/pruning.ts';
import { claimWriter } from '../../../schema/database/media/segments.ts';
import { attachMedia } from '../../../schema/database/media/uses.ts';
import { fetchDelaysMs } from '../../../schema/retry.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { readMedia } from '../../support/rows/media.ts';
import {
  cert,
  createClient,
  listen,
  resolvingTo,
  startHttp,
  startHttps,
} from '../../support/receivers/loopback.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { inQuietTransaction, quietNotifier } from '../../support/rows/quiet-transaction.ts';
import { addPost, addProject } from '../../support/rows/rows.ts';
import { readers } from '../../support/media/images.ts';
import { createMarkedFolder } from '../../support/media/marked-folder.ts';
import { noise, video } from '../../support/media/samples.ts';

const folder = createMarkedFolder('fanfare-fetches-');
const store = await openStore(pathToFileURL(folder).href);
afterAll(() => rm(folder, { recursive: true }));

const database = useDatabase();
let png: Buffer;
beforeAll(async () => {
  png = await noise(60, 40).png().toBuffer();
});
let projectId: string;
beforeEach(async () => {
  projectId = await addProject(database.db);
});

afterEach(() => vi.useRealTimers());

const limits: DownloadLimits = {
  statusMs: 400,
  silenceMs: 400,
  bodyMs: 1_500,
  bytesPerSecond: 1e9,
  totalMs: 60_000,
};

async function addFetch(url: string): Promise<string> {
  const id = newId('media');
  await inQuietTransaction(database.db, (trx) =>
    insertFetches(trx, { projectId, environment: 'production' }, [{ id, url }]),
  );
  return id;
}

interface Options {
  client?: Parameters<typeof createClient>[0];
  maxBytes?: number;
  projectMaxBytes?: number;
  signal?: AbortSignal;
  bytesPerSecond?: number;
  totalMs?: number;
  /** Null: the worker has none. */
  mediaStore?: MediaStore | null;
}

function fetchAgain(mediaId: string, options: Options = {}): Promise<number | null> {
  const { maxBytes = 50_000_000, projectMaxBytes = 1e9, client, signal } = options;
  const {
    bytesPerSecond = limits.bytesPerSecond,
    totalMs = limits.totalMs,
    mediaStore = store,
  } = options;
  const dependencies: FetchingDependencies = {
    db: database.db,
    notifier: quietNotifier,
    safeFetch: createClient(client),
    media: mediaStore ? { store: mediaStore, ...readers, maxBytes, projectMaxBytes } : undefined,
    downloadLimits: { ...limits, bytesPerSecond, totalMs },
  };
  return fetchOnce(dependencies, mediaId, signal ?? new AbortController().signal);
}

/** Fetches once, and returns what became of the media. */
async function fetchFrom(url: string, options: Options = {}) {
  const id = await addFetch(url);
  const waitMs = await fetchAgain(id, options);
  return { id, waitMs, row: await readMedia(database.db, id) };
}

const objectsOf = (id: string) => readdir(join(folder, id)).catch(() => []);

async function kindsOf(id: string): Promise<string[]> {
  const query = database.db.selectFrom('changes').select('kind').where('subject_id', '=', id);
  return (await query.orderBy('id').execute()).map(({ kind }) => kind);
}

/** Failed at once, and left nothing behind. */
async function expectFailed(
  url: string,
  failure: { code?: string; message: string },
  options: Options = {},
): Promise<void> {
  const { id, waitMs, row } = await fetchFrom(url, options);
  const { code = 'media_unreachable', message } = failure;
  expect(row).toMatchObject({
    status: 'failed',
    error_code: code,
    error_message: message,
    received_bytes: 0,
    writer_id: null,
  });
  expect(waitMs).toBeNull();
  expect(await kindsOf(id)).toEqual(['created', 'failed']);
  expect(await objectsOf(id)).toEqual([]);
}

/** Will be fetched again. */
async function expectWaiting(url: string, options: Options = {}): Promise<string> {
  const { id, waitMs, row } = await fetchFrom(url, options);
  expect(row).toMatchObject({
    status: 'pending',
    error_code: null,
    error_message: expect.stringMatching(/\.$/),
    fetch_attempts: 1,
    writer_id: null,
  });
  expect(waitMs).toBe(fetchDelaysMs[0]);
  return id;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;
const serve =
  (body: Buffer): Answer =>
  (_request, response) =>
    response.end(body);

describe('a file', () => {
  test('becomes usable media', async () => {
    let headers: IncomingMessage['headers'] = {};
    const server = await startHttp((request, response) => {
      ({ headers } = request);
      response.end(png);
    });
    const { id, waitMs, row } = await fetchFrom(server.url);
    expect(waitMs).toBeNull();
    expect(row).toMatchObject({
      status: 'uploaded',
      kind: 'image',
      content_type: 'image/png',
      size_bytes: png.length,
      received_bytes: png.length,
      sha256: createHash('sha256').update(png).digest('hex'),
      width: 60,
      height: 40,
      fetch_attempts: 0,
      writer_id: null,
    });
    expect(await kindsOf(id)).toEqual(['created', 'uploaded']);
    expect(headers).toMatchObject({ accept: 'image/*,video/*', 'accept-encoding': 'identity' });
  });

  test('becomes attached media if it belongs to a post', async () => {
    const server = await startHttp(serve(await video('mp4')));
    const id = await addFetch(server.url);
    const { postId } = await addPost(database.db);
    await inQuietTransaction(database.db, (trx) => attachMedia(trx, postId, [id]));
    expect(await fetchAgain(id)).toBeNull();
    expect(await readMedia(database.db, id)).toMatchObject({
      status: 'attached',
      kind: 'video',
      duration_ms: 2_000,
    });
  });

  test('is stored in many segments if the server declares no length', async () => {
    const large = Buffer.concat([await video('mp4'), Buffer.from('0098968066726565', 'hex')]);
    const bytes = Buffer.concat([large, Buffer.alloc(9_999_992)]);
    const server = await startHttp((_request, response) => {
      for (let at = 0; at < bytes.length; at += 500_000) {
        response.write(bytes.subarray(at, at + 500_000));
      }
      response.end();
    });
    const { id, row } = await fetchFrom(server.url);
    expect(row).toMatchObject({ status: 'uploaded', received_bytes: bytes.length });
    expect(await objectsOf(id)).toHaveLength(3);
  });

  test('is fetched behind three redirects', async () => {
    const server = await startHttp((request, response) => {
      const number = Number(new URL(request.url!, 'http://a').searchParams.get('n') ?? 0);
      if (number === 3) response.end(png);
      else response.writeHead([301, 303, 308][number]!, { location: `/to?n=${number + 1}` }).end();
    });
    expect((await fetchFrom(server.url)).row.status).toBe('uploaded');
  });

  test('is fetched over https from a name that leads to an allowed address', async () => {
    const server = await startHttps(serve(png));
    const client = { lookup: resolvingTo('127.0.0.1'), ca: [cert] };
    const url = `https://localhost:${server.port}/a.png`;
    expect((await fetchFrom(url, { client })).row.status).toBe('uploaded');
  });
});

describe('final failures', () => {
  test.each([400, 401, 403, 404, 410, 451])('%i', async (status) => {
    const server = await startHttp((_request, response) => response.writeHead(status).end('no'));
    await expectFailed(server.url, { message: `The server answered ${status}.` });
  });

  test('bytes that are no image', async () => {
    const server = await startHttp(serve(Buffer.from('<html>Sign in</html>')));
    const { row, waitMs } = await fetchFrom(server.url);
    expect(row).toMatchObject({ status: 'failed', error_code: 'media_invalid' });
    expect(waitMs).toBeNull();
  });

  test('an empty body', async () => {
    const server = await startHttp((_request, response) => response.writeHead(204).end());
    const { row } = await fetchFrom(server.url);
    const message = 'The file is empty.';
    expect(row).toMatchObject({
      status: 'failed',
      error_code: 'media_invalid',
      error_message: message,
    });
  });

  test('a complete body that holds half of an image', async () => {
    const server = await startHttp(serve(png.subarray(0, png.length >> 1)));
    const { row } = await fetchFrom(server.url);
    expect(row).toMatchObject({ status: 'failed', error_code: 'media_invalid' });
  });

  test('a declared length that is too large', async () => {
    let hasSent = false;
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-length': '5000' });
      response.write('a', () => (hasSent = true));
    });
    const message = 'The file has more than 4999 bytes, and no more are accepted.';
    await expectFailed(server.url, { code: 'media_too_large', message }, { maxBytes: 4_999 });
    expect(hasSent).toBe(true);
  });

  test('an endless body', async () => {
    let sent = 0;
    const server = await startHttp((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    });
    const message = 'The file has more than 3000000 bytes, and no more are accepted.';
    await expectFailed(server.url, { code: 'media_too_large', message }, { maxBytes: 3_000_000 });
    expect(sent).toBeLessThan(20_000_000);
  });

  test('a file for which the project has no room', async () => {
    const server = await startHttp(serve(png));
    const projectMaxBytes = png.length * 2;
    expect((await fetchFrom(server.url, { projectMaxBytes })).row.status).toBe('uploaded');
    expect((await fetchFrom(server.url, { projectMaxBytes })).row.status).toBe('uploaded');
    const message = 'The file has more than 0 bytes, and no more are accepted.';
    await expectFailed(server.url, { code: 'media_too_large', message }, { projectMaxBytes });
  });

  test('a compressed body', async () => {
    const server = await startHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(png)),
    );
    await expectFailed(server.url, {
      message: 'The answer is encoded (gzip), which was not asked for.',
    });
  });
});

describe('redirects', () => {
  const redirectTo = (location: string) =>
    startHttp((_request, response) => response.writeHead(302, { location }).end());

  test('fail the fetch if there are more than three', async () => {
    let requests = 0;
    const server = await startHttp((_request, response) => {
      requests++;
      response.writeHead(302, { location: '/again' }).end();
    });
    await expectFailed(server.url, { message: 'The URL redirects more than 3 times.' });
    expect(requests).toBe(4);
  });

  test('fail the fetch if they lead to a private address', async () => {
    const message = 'The URL leads to an address that Fanfare is not allowed to connect to.';
    for (const location of [
      'https://10.0.0.1/a.png',
      'http://169.254.169.254/latest',
      'http://[::1]/a',
    ]) {
      await expectFailed((await redirectTo(location)).url, { message });
    }
  });

  test('treat a name with a private address like a name that does not exist', async () => {
    const target = await startHttps(serve(png));
    const server = await redirectTo(`https://inner.test:${target.port}/`);
    await expectWaiting(server.url, { client: { lookup: resolvingTo('10.0.0.1') } });
    expect(target.connections).toBe(0);
  });

  test('fail the fetch if they lead from https to http', async () => {
    const target = await startHttp(serve(png));
    const server = await startHttps((_request, response) =>
      response.writeHead(302, { location: target.url }).end(),
    );
    await expectFailed(
      server.url.replace('127.0.0.1', 'localhost'),
      { message: 'The URL redirects to http://, not to https://.' },
      { client: { ca: [cert], lookup: resolvingTo('127.0.0.1') } },
    );
    expect(target.connections).toBe(0);
  });

  test('fail the fetch if they lead to another scheme, or have no location', async () => {
    const message = 'The URL redirects to file://, not to https://.';
    await expectFailed((await redirectTo('file:///etc/passwd')).url, { message });
    const server = await startHttp((_request, response) => response.writeHead(302).end());
    await expectFailed(server.url, {
      message: 'The server answered 302 without a valid location.',
    });
  });
});

describe('private addresses', () => {
  test('are refused at once', async () => {
    const server = await startHttp(serve(png));
    const message = 'The URL leads to an address that Fanfare is not allowed to connect to.';
    await expectFailed(server.url, { message }, { client: { allowed: [] } });
    expect(server.connections).toBe(0);
  });
});

describe('temporary failures', () => {
  test.each([408, 425, 429, 500, 502, 503, 504])('%i', async (status) => {
    let requests = 0;
    const server = await startHttp((_request, response) => {
      requests++;
      if (requests === 1) response.writeHead(status).end('later');
      else response.end(png);
    });
    const id = await expectWaiting(server.url);
    expect(await fetchAgain(id)).toBeNull();
    expect(await readMedia(database.db, id)).toMatchObject({
      status: 'uploaded',
      error_message: null,
      width: 60,
    });
  });

  test('a refused connection and a broken connection', async () => {
    const server = await startHttp((request) => request.socket.destroy());
    await expectWaiting(server.url);
    const free = await listen(createServer());
    await expectWaiting(free.url.replace(String(free.port), '1'));
  });

  test('a name that does not resolve', async () => {
    const lookup = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    await expectWaiting('https://nowhere.test/a.png', { client: { lookup } });
  });

  test('no status line', async () => {
    const server = await startHttp(() => undefined);
    const startedAt = performance.now();
    await expectWaiting(server.url);
    expect(performance.now() - startedAt).toBeGreaterThan(limits.statusMs - 20);
  });

  test('a body that stops', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-length': String(png.length) });
      response.write(png.subarray(0, 1_000));
    });
    await expectWaiting(server.url);
  });

  test('a body that drips', async () => {
    const server = await startHttp((_request, response) => {
      const timer = setInterval(() => response.write('a'), 100);
      response.on('close', () => clearInterval(timer));
    });
    const startedAt = performance.now();
    await expectWaiting(server.url);
    expect(performance.now() - startedAt).toBeGreaterThan(limits.bodyMs - 20);
  });

  test.each([undefined, 40_000_000])(
    'a body in drips of at most %s bytes',
    async (declared) => {
      const server = await startHttp((_request, response) => {
        response.writeHead(
          200,
          declared === undefined ? {} : { 'content-length': String(declared) },
        );
        const timer = setInterval(() => response.write('a'), 100);
        response.on('close', () => clearInterval(timer));
      });
      const startedAt = performance.now();
      await expectWaiting(server.url, { bytesPerSecond: 1_000 });
      expect(performance.now() - startedAt).toBeLessThan(limits.bodyMs * 4);
    },
    10_000,
  );

  test('a body that takes too long in total', async () => {
    const server = await startHttp((_request, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(5_000)), 20);
      response.on('close', () => clearInterval(timer));
    });
    const id = await expectWaiting(server.url, { totalMs: 300, bytesPerSecond: 1 });
    expect(await readMedia(database.db, id)).toMatchObject({ status: 'pending', writer_id: null });
  });

  test('a body that is shorter than declared', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-length': String(png.length + 1) });
      response.write(png, () => response.destroy());
    });
    await expectWaiting(server.url);
  });

  test('become final at the last fetch', async () => {
    const server = await startHttp((_request, response) => response.writeHead(503).end());
    const id = await addFetch(server.url);
    for (const delayMs of fetchDelaysMs) expect(await fetchAgain(id)).toBe(delayMs);
    expect(await fetchAgain(id)).toBeNull();
    expect(await readMedia(database.db, id)).toMatchObject({
      status: 'failed',
      error_code: 'media_unreachable',
      error_message: 'The server answered 503.',
      fetch_attempts: 5,
    });
  });

  test('are repeated for a scheduled post until 10 minutes before it is due', async () => {
    const server = await startHttp((_request, response) => response.writeHead(503).end());
    const id = await addFetch(server.url);
    const { postId } = await addPost(database.db, {
      scheduledAt: new Date(Date.now() + 7_200_000),
    });
    await inQuietTransaction(database.db, (trx) => attachMedia(trx, postId, [id]));
    const setDue = (minutes: number) =>
      sql`update posts set due_at = now() + ${minutes} * interval '1 minute' where id = ${postId}`.execute(
        database.db,
      );
    await setDue(120);
    await sql`update media set fetch_attempts = 4 where id = ${id}`.execute(database.db);
    expect(await fetchAgain(id)).toBe(3_600_000);
    await setDue(30);
    expect(await fetchAgain(id)).toBeGreaterThan(19 * 60_000);
    await setDue(10);
    expect(await fetchAgain(id)).toBeNull();
    expect((await readMedia(database.db, id)).status).toBe('failed');
  });
});

describe('a worker that can store nothing', () => {
  const failing = (code: 'full' | 'unavailable', message: string): MediaStore => {
    const fail = () => Promise.reject(new StoreError(code, message));
    // A full disk still removes files.
    return { ...store, put: fail, ...(code === 'unavailable' && { removeFolder: fail }) };
  };
  const stores: [string, MediaStore | null, string][] = [
    ['on a full disk', failing('full', 'The media store is full.'), 'The media store is full.'],
    ['in a store that is away', failing('unavailable', 'It is away.'), 'It is away.'],
    ['without a store', null, 'This worker has no media store.'],
  ];

  test.each(stores)(
    'waits as after a failed fetch, then gives up: %s',
    async (_, mediaStore, message) => {
      const server = await startHttp(serve(png));
      const id = await addFetch(server.url);
      for (const delayMs of fetchDelaysMs) {
        expect(await fetchAgain(id, { mediaStore })).toBe(delayMs);
        expect(await readMedia(database.db, id)).toMatchObject({
          status: 'pending',
          writer_id: null,
        });
      }
      expect(await fetchAgain(id, { mediaStore })).toBeNull();
      expect(await readMedia(database.db, id)).toMatchObject({
        status: 'failed',
        error_code: 'media_unreachable',
        error_message: message,
        received_bytes: 0,
        writer_id: null,
      });
      expect(await objectsOf(id)).toEqual([]);
    },
  );

  test.each(stores)('leaves the media to the next worker: %s', async (_, mediaStore) => {
    const server = await startHttp(serve(png));
    const id = await addFetch(server.url);
    expect(await fetchAgain(id, { mediaStore })).toBe(fetchDelaysMs[0]);
    expect(await fetchAgain(id)).toBeNull();
    expect(await readMedia(database.db, id)).toMatchObject({ status: 'uploaded', width: 60 });
  });
});

test('a body that is longer than declared is cut at the declared length', async () => {
  const server = await listen(
    createServer((socket) => {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${png.length}\r\n\r\n`;
      socket.once('data', () => socket.write(Buffer.concat([Buffer.from(head), png, png])));
    }),
  );
  expect((await fetchFrom(server.url)).row).toMatchObject({
    status: 'uploaded',
    received_bytes: png.length,
  });
});

describe('a retry of media that could not be fetched', () => {
  test('fetches the media again, with a workflow that the sweeper knows', async () => {
    let status = 404;
    const server = await startHttp((_request, response) => response.writeHead(status).end(png));
    const { id, row: failed } = await fetchFrom(server.url);
    expect(failed.status).toBe('failed');
    await sql`update media set updated_at = now() - interval '1 hour' where id = ${id}`.execute(
      database.db,
    );
    await inQuietTransaction(database.db, (trx) => refetchMedia(trx, [id]));
    const waiting = await readMedia(database.db, id);
    expect(waiting).toMatchObject({ status: 'pending', error_code: null, fetch_attempts: 0 });
    expect(waiting.workflow_id).not.toBe(failed.workflow_id);
    expect(waiting.updated_at.getTime()).toBeGreaterThan(Date.now() - 60_000);
    status = 200;
    expect(await fetchAgain(id)).toBeNull();
    expect(await readMedia(database.db, id)).toMatchObject({ status: 'uploaded', width: 60 });
    expect(await kindsOf(id)).toEqual(['created', 'failed', 'retried', 'uploaded']);
  });

  test('keeps the row of the media, and their bytes can be removed later', async () => {
    let status = 404;
    const server = await startHttp((_request, response) => response.writeHead(status).end(png));
    const { id } = await fetchFrom(server.url);
    await inQuietTransaction(database.db, (trx) => refetchMedia(trx, [id]));
    status = 200;
    await fetchAgain(id);
    await removeEmptiedMedia(database.db, '', 100);
    expect(await readMedia(database.db, id)).toMatchObject({ status: 'uploaded' });
    await sql`update media set status = 'deleted' where id = ${id}`.execute(database.db);
    expect(await listMediaToEmpty(database.db, 100)).toContain(id);
  });
});

describe('many slow fetches of four projects', () => {
  test("do not hold up a fifth project's fetch", async () => {
    const slow = await startHttp((_request, response) => void response.write(png.subarray(0, 9)));
    const fast = await startHttp(serve(png));
    const { fetchBytes } = createFetching({
      db: database.db,
      notifier: quietNotifier,
      safeFetch: createClient(),
      media: { store, ...readers, maxBytes: 50_000_000, projectMaxBytes: 1e9 },
    });
    const environment = new MockActivityEnvironment();
    const start = (mediaId: string) => environment.run(fetchBytes, { mediaId });
    const fetches: Promise<unknown>[] = [];
    for (const connections of [8, 12, 14, 15]) {
      projectId = await addProject(database.db);
      const ids: string[] = [];
      for (let i = 0; i < 25; i++) ids.push(await addFetch(slow.url));
      fetches.push(...ids.map((id) => start(id).catch(() => undefined)));
      await expect.poll(() => slow.connections).toBe(connections);
    }
    projectId = await addProject(database.db);
    const id = await addFetch(fast.url);
    expect(await start(id)).toBeNull();
    expect(await readMedia(database.db, id)).toMatchObject({ status: 'uploaded' });
    expect(slow.connections).toBe(15);
    environment.cancel();
    await Promise.all(fetches);
  });
});

describe('one fetch at a time', () => {
  test('a second fetch waits, and then has nothing to do', async () => {
    let isFree = (): void => undefined;
    const held = new Promise<void>((resolve) => (isFree = resolve));
    let requests = 0;
    const server = await startHttp(async (_request, response) => {
      requests++;
      response.write(png.subarray(0, 100));
      await held;
      response.end(png.subarray(100));
    });
    const id = await addFetch(server.url);
    const first = fetchAgain(id);
    await expect.poll(() => requests).toBe(1);
    expect(await fetchAgain(id)).toBe(5_000);
    isFree();
    expect(await first).toBeNull();
    expect(await fetchAgain(id)).toBeNull();
    expect(requests).toBe(1);
    expect(await kindsOf(id)).toEqual(['created', 'uploaded']);
  });

  test('a fetch keeps its lease while it reads the stored bytes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let requests = 0;
    const server = await startHttp((_request, response) => {
      requests++;
      response.end(png);
    });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let isReading = false;
    const slow: MediaStore = {
      ...store,
      async *read(key, range) {
        isReading = true;
        await held;
        yield* store.read(key, range);
      },
    };
    const id = await addFetch(server.url);
    const first = fetchAgain(id, { mediaStore: slow });
    await expect.poll(() => isReading).toBe(true);
    await sql`update media set writer_until = now() where id = ${id}`.execute(database.db);
    vi.advanceTimersByTime(5_000);
    const leaseMs = async () =>
      (await readMedia(database.db, id)).writer_until!.getTime() - Date.now();
    await expect.poll(leaseMs).toBeGreaterThan(0);
    expect(await fetchAgain(id)).toBe(5_000);
    release();
    expect(await first).toBeNull();
    expect(await readMedia(database.db, id)).toMatchObject({ status: 'uploaded', width: 60 });
    expect(requests).toBe(1);
  });

  test('the next fetch after a lost worker starts over', async () => {
    const server = await startHttp(serve(png));
    const id = await addFetch(server.url);
    await claimWriter(database.db, { mediaId: id, writerId: 'lost' });
    expect(await fetchAgain(id)).toBe(5_000);
    // It had stored bytes of another version of the file.
    await store.put(`${id}/0-old`, Buffer.alloc(500));
    await sql`insert into media_segments values (${id}, 0, 500, ${`${id}/0-old`})`.execute(
      database.db,
    );
    await sql`update media set received_bytes = 500, writer_until = now() where id = ${id}`.execute(
      database.db,
    );
    expect(await fetchAgain(id)).toBeNull();
    expect(await readMedia(database.db, id)).toMatchObject({
      status: 'uploaded',
      received_bytes: png.length,
    });
    expect(await objectsOf(id)).toHaveLength(1);
  });

  test('a fetch that is stopped releases the media, and counts no failure', async () => {
    const server = await startHttp((_request, response) => void response.write(png.subarray(0, 9)));
    const id = await addFetch(server.url);
    const stopping = new AbortController();
    const fetching = fetchAgain(id, { signal: stopping.signal });
    await expect.poll(() => server.connections).toBe(1);
    stopping.abort(new Error('The worker stops.'));
    await expect(fetching).rejects.toThrow('The worker stops.');
    const free = { status: 'pending', fetch_attempts: 0, writer_id: null };
    expect(await readMedia(database.db, id)).toMatchObject(free);
  });

  test('deleted media are not fetched', async () => {
    const server = await startHttp(async (_request, response) => {
      await database.db.updateTable('media').set({ status: 'deleted', writer_id: null }).execute();
      response.end(png);
    });
    const id = await addFetch(server.url);
    await fetchAgain(id);
    expect(await fetchAgain(id)).toBeNull();
    expect((await readMedia(database.db, id)).status).toBe('deleted');
    expect(await objectsOf(id)).toEqual([]);
  });
});
