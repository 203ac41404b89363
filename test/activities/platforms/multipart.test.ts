// Forms with files: their encoding, and how they are sent over real sockets on loopback.
import { describe, expect, test } from 'vitest';
import { callNetwork, type CallKind } from '../../../activities/platforms/json-client.ts';
import { multipart, type FilePart } from '../../../activities/platforms/multipart.ts';
import type { MediaSource } from '../../../activities/platforms/platform.ts';
import { refusal } from '../../support/checks/platform-refusal.ts';
import { createClient, listen, startHttp } from '../../support/receivers/loopback.ts';
import { createServer, type Socket } from 'node:net';

const chunkBytes = 65_536;

interface WatchedSource extends MediaSource {
  readBytes: number;
  isCanceled: boolean;
}

/** Zeros, which are made as they are read. `failsAt`: the read from this byte on fails. */
function zeros(bytes: number, failsAt = Infinity): WatchedSource {
  const source: WatchedSource = {
    bytes,
    readBytes: 0,
    isCanceled: false,
    open: () =>
      new ReadableStream(
        {
          pull(controller) {
            if (source.readBytes >= failsAt) throw new Error('The disk is gone.');
            const length = Math.min(chunkBytes, bytes - source.readBytes);
            if (length === 0) return controller.close();
            source.readBytes += length;
            controller.enqueue(new Uint8Array(length));
          },
          cancel() {
            source.isCanceled = true;
          },
        },
        { highWaterMark: 0 },
      ),
  };
  return source;
}

const sourceOf = (text: string): MediaSource => {
  const blob = new Blob([text]);
  return { bytes: blob.size, open: () => blob.stream() };
};

const fileOf = (source: MediaSource): FilePart => ({
  name: 'file',
  filename: 'video.mp4',
  contentType: 'video/mp4',
  source,
});

const { fetch } = createClient({ fetchDeadlineMs: 10_000 });
const never = new AbortController().signal;

const upload = (url: string, source: MediaSource, kind: CallKind = 'commit', signal = never) =>
  callNetwork(fetch, { url, kind, signal, upload: multipart({ a: 'b' }, [fileOf(source)]) });

describe('multipart', () => {
  test('encodes a form byte for byte as browsers do', async () => {
    const names = ['plain', 'quote " and \\', 'line\nfeed', 'return\r\nline', '名前 ü'];
    const form = new FormData();
    for (const name of names) form.append(name, `Value of ${name.replaceAll(/[\r\n]/g, '')} 😀`);
    for (const name of names) form.append(name, new File(['bytes ü'], name, { type: 'image/png' }));
    const expected = new Response(form);
    const boundaryOf = (type: string) => /boundary=(.+)$/.exec(type)![1]!;
    const expectedBoundary = boundaryOf(expected.headers.get('content-type')!);

    const { body, headers } = multipart(
      Object.fromEntries(names.map((name) => [name, form.get(name) as string])),
      names.map((name) => ({
        name,
        filename: name,
        contentType: 'image/png',
        source: sourceOf('bytes ü'),
      })),
    );
    const written = Buffer.from(await new Response(body).arrayBuffer());
    const boundary = boundaryOf(headers['content-type']);
    expect(written.toString().replaceAll(boundary, expectedBoundary)).toBe(await expected.text());
    expect(headers['content-length']).toBe(String(written.length));
  });

  test('keeps the values of fields as they are', async () => {
    const text = 'one\ntwo\r\nthree\rfour\n\n--fanfare\n';
    const { body, headers } = multipart({ text }, []);
    const form = await new Response(body, { headers }).formData();
    expect(Object.fromEntries(form)).toEqual({ text });
  });

  test('never writes the same boundary twice', () => {
    const types = [1, 2].map(() => multipart({}, []).headers['content-type']);
    expect(new Set(types).size).toBe(2);
  });

  test('arrives whole, with a length and not in chunks', async () => {
    const server = await startHttp(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = Buffer.concat(parts);
      const headers = { 'content-type': request.headers['content-type']! };
      const form = await new Response(body, { headers }).formData();
      const file = form.get('file') as File;
      const { 'content-length': length, 'transfer-encoding': encoding = null } = request.headers;
      const isExact = Number(length) === body.length;
      response.end(
        JSON.stringify([form.get('a'), file.name, file.type, file.size, isExact, encoding]),
      );
    });
    const { body } = await upload(server.url, zeros(5_000_001));
    expect(body).toEqual(['b', 'video.mp4', 'video/mp4', 5_000_001, true, null]);
  });

  test('reads its source no faster than the network reads, whatever the size', async () => {
    const source = zeros(100_000_000);
    let socket: Socket | undefined;
    const server = await listen(
      createServer({ pauseOnConnect: true }, (connected) => void (socket = connected)),
    );
    const answer = upload(server.url, source, 'commit', AbortSignal.timeout(8_000));
    answer.catch(() => undefined);
    let last = 0;
    const hasStopped = () => {
      const before = last;
      last = source.readBytes;
      return last > 0 && last === before;
    };
    await expect.poll(hasStopped, { interval: 200 }).toBe(true);
    // What the buffers of both sockets hold.
    expect(source.readBytes).toBeLessThan(20_000_000);
    socket!.destroy();
    await refusal(answer);
  });
});

describe('an upload that fails', () => {
  test('was not accepted if nobody listens', async () => {
    const server = await startHttp((_request, response) => response.end());
    const [source, url] = [zeros(1_000), server.url.replace(`${server.port}`, '2')];
    const error = await refusal(upload(url, source));
    expect(error).toMatchObject({
      kind: 'unavailable',
      message: '127.0.0.1:2 could not be reached.',
    });
    expect(source.readBytes).toBe(0);
  });

  test('was not accepted if the connection ends within the body', async () => {
    const source = zeros(100_000_000);
    const server = await listen(
      createServer((socket) => socket.once('data', () => socket.destroy())),
    );
    expect((await refusal(upload(server.url, source))).kind).toBe('unavailable');
    await expect.poll(() => source.isCanceled).toBe(true);
  });

  test.each(['commit', 'other'] as const)(
    'may have been accepted if the connection ends after the last byte: %s',
    async (kind) => {
      const server = await startHttp((request) =>
        request.resume().on('end', () => request.socket.destroy()),
      );
      const error = await refusal(upload(server.url, zeros(300_000), kind));
      expect(error.kind).toBe(kind === 'commit' ? 'unknown_outcome' : 'unavailable');
    },
  );

  test('was not accepted if its bytes could not be read', async () => {
    const server = await startHttp((request, response) =>
      request
        .resume()
        .on('end', () => response.end('{}'))
        .on('error', () => undefined),
    );
    const error = await refusal(upload(server.url, zeros(300_000, 131_072)));
    expect(error).toMatchObject({ kind: 'unavailable', message: 'The media could not be read.' });
  });

  test('was not accepted if there are fewer bytes than declared', async () => {
    const server = await startHttp((request) => request.resume().on('error', () => undefined));
    const short = { ...zeros(100), bytes: 200 };
    expect((await refusal(upload(server.url, short))).kind).toBe('unavailable');
  });

  test('stops reading when it is aborted', async () => {
    const source = zeros(100_000_000);
    const server = await listen(createServer({ pauseOnConnect: true }, () => undefined));
    const error = await refusal(upload(server.url, source, 'commit', AbortSignal.timeout(500)));
    expect(error.kind).toBe('unavailable');
    await expect.poll(() => source.isCanceled).toBe(true);
  });

  test('reports the refusal of a network that does not read the body', async () => {
    const source = zeros(100_000_000);
    const server = await startHttp((_request, response) => {
      response.writeHead(413, { connection: 'close' }).end('{"error":"too large"}');
    });
    const answer = await upload(server.url, source).catch((error: unknown) => error);
    expect(answer).toMatchObject({ status: 413, body: { error: 'too large' } });
    await expect.poll(() => source.isCanceled).toBe(true);
  });
});
