// The outgoing HTTP client against peers that fail, stall, flood or break off.
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  cert,
  createClient,
  listen,
  okHead,
  resolvingTo,
  startHttp,
  startHttps,
  startRaw,
} from '../../support/receivers/peers.ts';

describe('connections that fail', () => {
  test('tells that nobody listens', async () => {
    const server = createTcpServer();
    const peer = await listen(server);
    await new Promise((resolve) => {
      server.close(resolve);
    });
    const result = await createClient().post(peer.url);
    expect(result).toMatchObject({ ok: false, errorCode: 'connection_refused', status: null });
  });

  test('tells that a name does not resolve, or not in time', async () => {
    const failing = createClient({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await failing.post('https://hook.test/')).toMatchObject({ errorCode: 'dns_failed' });
    const hanging = createClient({ lookup: () => new Promise(() => {}) });
    const late = await hanging.post('https://hook.test/', { deadlineMs: 100 });
    expect(late).toMatchObject({ errorCode: 'dns_failed' });
    expect(late.timings.total_ms).toBeLessThan(1_000);
  });

  test('tells that a certificate is not trusted', async () => {
    const peer = await startHttps((_request, response) => response.end());
    const result = await createClient().post(peer.url);
    expect(result).toMatchObject({
      ok: false,
      errorCode: 'tls_failed',
      remoteAddress: '127.0.0.1',
    });
    expect(result.ok ? '' : result.message).toContain('self-signed');
  });

  test("tells that a certificate is another host's", async () => {
    const peer = await startHttps((_request, response) => response.end());
    const { post } = createClient({ ca: [cert], lookup: resolvingTo('127.0.0.1') });
    expect(await post(`https://other.test:${peer.port}/`)).toMatchObject({
      ok: false,
      errorCode: 'tls_failed',
    });
    expect(await post(`https://hook.test:${peer.port}/`)).toMatchObject({
      ok: true,
      timings: { tls_ms: expect.any(Number) },
    });
  });

  test('tells that the peer does not speak TLS', async () => {
    const peer = await startHttp((_request, response) => response.end());
    const result = await createClient().post(peer.url.replace('http:', 'https:'));
    expect(result).toMatchObject({ ok: false, errorCode: 'tls_failed' });
  });

  test('gives up a TLS handshake that does not end', async () => {
    const peer = await listen(
      createTcpServer((socket) => socket.resume()),
      'https',
    );
    const result = await createClient().post(peer.url, { deadlineMs: 150 });
    expect(result).toMatchObject({ ok: false, errorCode: 'connect_timeout' });
    await expect.poll(() => peer.sockets.size).toBe(0);
  });
});

describe('answers that fail', () => {
  test('gives up a peer that never answers', async () => {
    const peer = await startRaw(() => {});
    const result = await createClient().post(peer.url, { deadlineMs: 150 });
    expect(result).toMatchObject({ ok: false, errorCode: 'response_timeout', status: null });
    expect(result.timings.first_byte_ms).toBeNull();
    expect(result.timings.total_ms).toBeGreaterThanOrEqual(145);
    expect(result.timings.total_ms).toBeLessThan(1_000);
    await expect.poll(() => peer.sockets.size).toBe(0);
  });

  test('gives up a head that comes byte by byte', async () => {
    const peer = await startRaw(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      while (!socket.destroyed) {
        socket.write('a');
        await sleep(20);
      }
    });
    const result = await createClient().post(peer.url, { deadlineMs: 300 });
    expect(result).toMatchObject({ ok: false, errorCode: 'response_timeout' });
    expect(result.timings.total_ms).toBeLessThan(1_000);
    await expect.poll(() => peer.sockets.size).toBe(0);
  });

  test('lets the status decide when the body comes byte by byte', async () => {
    const peer = await startHttp(async (_request, response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write('a');
        await sleep(20);
      }
    });
    const result = await createClient().post(peer.url, { deadlineMs: 300 });
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(result.body).toMatch(/^a{3,20}$/);
    expect(result.timings.total_ms).toBeLessThan(1_000);
    await expect.poll(() => peer.sockets.size).toBe(0);
  });

  test('reads no more than it must of a body of 100 MB', async () => {
    const size = 100 * 1024 * 1024;
    let written = 0;
    const peer = await startHttp((_request, response) => {
      response.writeHead(200, { 'Content-Length': size });
      const block = Buffer.alloc(64 * 1024, 'x');
      const more = (): void => {
        while (written < size && !response.destroyed) {
          written += block.length;
          if (!response.write(block)) return;
        }
      };
      response.on('drain', more);
      more();
    });
    const result = await createClient().post(peer.url);
    expect(result).toMatchObject({ ok: true, status: 200, body: 'x'.repeat(4096) });
    await expect.poll(() => peer.sockets.size).toBe(0);
    expect(written).toBeLessThan(size / 4);
  });

  test.each([
    ['interim answers', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['the head', 'X-More: 1\r\n'],
    ['one header', `X-More: ${'a'.repeat(2_000)}`],
  ])('counts %s without end toward the 64 KiB', async (_what, more) => {
    let written = 0;
    const peer = await startRaw((socket) => {
      if (more.startsWith('X')) socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => {
        if (socket.destroyed) clearInterval(timer);
        else written += Buffer.byteLength(more) * 64;
        socket.write(more.repeat(64));
      }, 1);
    });
    const result = await createClient().post(peer.url);
    expect(result).toMatchObject({ ok: false, errorCode: 'response_too_large', status: null });
    await expect.poll(() => peer.sockets.size).toBe(0);
    expect(written).toBeLessThan(512 * 1024);
  });

  test('counts the padding of chunks too, over TLS as well, and lets the status decide', async () => {
    const peer = await startHttps((_request, response) => {
      response.writeHead(200, { 'Transfer-Encoding': 'chunked' }).write('a');
      const { socket } = response;
      const timer = setInterval(() => {
        if (socket!.destroyed) clearInterval(timer);
        else socket!.write(`1;${'x'.repeat(10_000)}\r\na\r\n`);
      }, 1);
    });
    const result = await createClient({ ca: [cert], lookup: resolvingTo('127.0.0.1') }).post(
      `https://hook.test:${peer.port}/`,
      { deadlineMs: 5_000 },
    );
    expect(result).toMatchObject({ ok: true, status: 200, body: expect.stringMatching(/^a+$/) });
    expect(result.timings.total_ms).toBeLessThan(2_000);
    await expect.poll(() => peer.sockets.size).toBe(0);
  });

  test('begins to count anew for each answer on a connection', async () => {
    const peer = await startHttp((_request, response) => response.end('y'.repeat(30_000)));
    const { post } = createClient();
    for (let i = 0; i < 5; i++) expect(await post(peer.url)).toMatchObject({ ok: true });
    expect(peer.connections).toBe(1);
  });

  test('keeps 4 KiB of a body that it reads whole, and the connection with it', async () => {
    const peer = await startHttp((_request, response) => response.end('y'.repeat(60_000)));
    const { post } = createClient();
    expect((await post(peer.url)).body).toBe('y'.repeat(4096));
    expect((await post(peer.url)).body).toBe('y'.repeat(4096));
    expect(peer.connections).toBe(1);
  });

  test('never unpacks a body', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const peer = await startHttp((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
    });
    const result = await createClient().post(peer.url);
    expect(result).toMatchObject({ ok: true, headers: { 'content-encoding': 'gzip' } });
    expect(Buffer.byteLength(result.body ?? '')).toBeLessThanOrEqual(4096);
  });

  test('makes text of any bytes, without NUL and within 4 KiB', async () => {
    const bodies = [
      Buffer.from('a\u0000b\u0000'),
      Buffer.from([0x61, 0xff, 0xfe, 0x62]),
      Buffer.alloc(9_000, 0xff),
      Buffer.from(`a${'🚀'.repeat(2_000)}`),
    ];
    const peer = await startHttp((_request, response) => response.end(bodies.shift()));
    const { post } = createClient();
    expect((await post(peer.url)).body).toBe('ab');
    expect((await post(peer.url)).body).toBe('a\ufffd\ufffdb');
    expect((await post(peer.url)).body).toBe('\ufffd'.repeat(1365));
    expect((await post(peer.url)).body).toBe(`a${'🚀'.repeat(1023)}`);
  });

  test('tells of a connection that is reset before the head is whole', async () => {
    const peer = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.resetAndDestroy());
    });
    const result = await createClient().post(peer.url);
    expect(result).toMatchObject({ ok: false, errorCode: 'connection_reset', status: null });
  });

  test('lets the status decide when the connection is reset within the body', async () => {
    const peer = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nso far');
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    const result = await createClient().post(peer.url);
    expect(result).toMatchObject({ ok: true, status: 200, body: 'so far' });
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['an answer to an upgrade nobody asked for', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'],
  ])('tells of %s', async (_what, bytes) => {
    const peer = await startRaw((socket) => socket.write(bytes));
    const result = await createClient().post(peer.url);
    expect(result).toMatchObject({ ok: false, errorCode: 'connection_reset' });
    await expect.poll(() => peer.sockets.size).toBe(0);
  });
});

describe('a kept connection that the peer closes', () => {
  test('is tried again once, on a new connection', async () => {
    const peer = await startRaw((socket, number) => {
      if (number === 1) socket.write(`${okHead}ok`);
      else socket.resetAndDestroy();
    });
    const { post } = createClient();
    expect(await post(peer.url)).toMatchObject({ ok: true });
    const second = await post(peer.url);
    expect(second).toMatchObject({ ok: true, timings: { connect_ms: expect.any(Number) } });
    expect(peer.connections).toBe(2);
  });

  test('is not tried a third time', async () => {
    let connections = 0;
    const peer = await startRaw((socket, number) => {
      if (number === 1 && connections++ === 0) socket.write(`${okHead}ok`);
      else socket.resetAndDestroy();
    });
    const { post } = createClient();
    expect(await post(peer.url)).toMatchObject({ ok: true });
    expect(await post(peer.url)).toMatchObject({ ok: false, errorCode: 'connection_reset' });
    expect(peer.connections).toBe(2);
  });

  test('is not tried again once a byte of the answer came', async () => {
    const peer = await startRaw((socket, number) => {
      if (number === 1) socket.write(`${okHead}ok`);
      else socket.write('HTTP/1.1 2', () => setTimeout(() => socket.resetAndDestroy(), 30));
    });
    const { post } = createClient();
    expect(await post(peer.url)).toMatchObject({ ok: true });
    expect(await post(peer.url)).toMatchObject({ ok: false, errorCode: 'connection_reset' });
    expect(peer.connections).toBe(1);
  });

  test('is not tried again when it is new', async () => {
    const peer = await startRaw((socket) => socket.resetAndDestroy());
    expect(await createClient().post(peer.url)).toMatchObject({ errorCode: 'connection_reset' });
    expect(peer.connections).toBe(1);
  });
});
