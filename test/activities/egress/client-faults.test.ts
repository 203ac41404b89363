// The outgoing HTTP client against servers that fail, stall, flood or break off.
import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  cert,
  createClient,
  drip,
  listen,
  okHead,
  resolvingTo,
  startHttp,
  startHttps,
  startRaw,
} from '../../support/receivers/loopback.ts';

describe('connections that fail', () => {
  test('report that nobody listens', async () => {
    const server = createTcpServer();
    const running = await listen(server);
    await new Promise((resolve) => {
      server.close(resolve);
    });
    const result = await createClient().post(running.url);
    expect(result).toMatchObject({ ok: false, errorCode: 'connection_refused', status: null });
  });

  test('report that a name does not resolve, or does not resolve in time', async () => {
    const failing = createClient({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await failing.post('https://hook.test/')).toMatchObject({ errorCode: 'dns_failed' });
    const hanging = createClient({ lookup: () => new Promise(() => {}) });
    const late = await hanging.post('https://hook.test/', { deadlineMs: 100 });
    expect(late).toMatchObject({ errorCode: 'dns_failed' });
    expect(late.timings.total_ms).toBeLessThan(5_000);
  });

  test('report that a certificate is not trusted', async () => {
    const server = await startHttps((_request, response) => response.end());
    const result = await createClient().post(server.url);
    expect(result).toMatchObject({
      ok: false,
      errorCode: 'tls_failed',
      remoteAddress: '127.0.0.1',
    });
    expect(result.ok ? '' : result.message).toContain('self-signed');
  });

  test('report that a certificate is for another host', async () => {
    const server = await startHttps((_request, response) => response.end());
    const { post } = createClient({ ca: [cert], lookup: resolvingTo('127.0.0.1') });
    expect(await post(`https://other.test:${server.port}/`)).toMatchObject({
      ok: false,
      errorCode: 'tls_failed',
    });
    expect(await post(`https://hook.test:${server.port}/`)).toMatchObject({
      ok: true,
      timings: { tls_ms: expect.any(Number) },
    });
  });

  test('report that the server does not speak TLS', async () => {
    const server = await startHttp((_request, response) => response.end());
    const result = await createClient().post(server.url.replace('http:', 'https:'));
    expect(result).toMatchObject({ ok: false, errorCode: 'tls_failed' });
  });

  test('end when a TLS handshake takes too long', async () => {
    const server = await listen(
      createTcpServer((socket) => socket.resume()),
      'https',
    );
    const result = await createClient().post(server.url, { deadlineMs: 500 });
    expect(result).toMatchObject({ ok: false, errorCode: 'connect_timeout' });
    await expect.poll(() => server.sockets.size).toBe(0);
  });
});

describe('answers that fail', () => {
  test('end when the server never answers', async () => {
    const server = await startRaw(() => {});
    const result = await createClient().post(server.url, { deadlineMs: 500 });
    expect(result).toMatchObject({ ok: false, errorCode: 'response_timeout', status: null });
    expect(result.timings.first_byte_ms).toBeNull();
    expect(result.timings.total_ms).toBeGreaterThanOrEqual(495);
    expect(result.timings.total_ms).toBeLessThan(5_000);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('end when the head arrives too slowly', async () => {
    const server = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      drip(socket);
    });
    const result = await createClient().post(server.url, { deadlineMs: 1_000 });
    expect(result).toMatchObject({ ok: false, errorCode: 'response_timeout' });
    expect(result.timings.total_ms).toBeLessThan(5_000);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('are judged by their status if the body arrives too slowly', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(200);
      drip(response);
    });
    const result = await createClient().post(server.url, { deadlineMs: 1_000 });
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(result.body).toMatch(/^a{3,70}$/);
    expect(result.timings.total_ms).toBeLessThan(5_000);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('are read only in part when the body has 100 MB', async () => {
    const size = 100 * 1024 * 1024;
    let written = 0;
    const server = await startHttp((_request, response) => {
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
    const result = await createClient().post(server.url);
    expect(result).toMatchObject({ ok: true, status: 200, body: 'x'.repeat(4096) });
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(written).toBeLessThan(size / 4);
  });

  test.each([
    ['interim answers', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['the head', 'X-More: 1\r\n'],
    ['one header', `X-More: ${'a'.repeat(2_000)}`],
  ])('end after 64 KiB of %s', async (_what, more) => {
    let written = 0;
    const server = await startRaw((socket) => {
      if (more.startsWith('X')) socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => {
        if (socket.destroyed) clearInterval(timer);
        else written += Buffer.byteLength(more) * 64;
        socket.write(more.repeat(64));
      }, 1);
    });
    const result = await createClient().post(server.url);
    expect(result).toMatchObject({ ok: false, errorCode: 'response_too_large', status: null });
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(written).toBeLessThan(512 * 1024);
  });

  test('end after too much chunk padding over TLS, and are judged by their status', async () => {
    const server = await startHttps((_request, response) => {
      response.writeHead(200, { 'Transfer-Encoding': 'chunked' }).write('a');
      const { socket } = response;
      const timer = setInterval(() => {
        if (socket!.destroyed) clearInterval(timer);
        else socket!.write(`1;${'x'.repeat(10_000)}\r\na\r\n`);
      }, 1);
    });
    const result = await createClient({ ca: [cert], lookup: resolvingTo('127.0.0.1') }).post(
      `https://hook.test:${server.port}/`,
      { deadlineMs: 5_000 },
    );
    expect(result).toMatchObject({ ok: true, status: 200, body: expect.stringMatching(/^a+$/) });
    expect(result.timings.total_ms).toBeLessThan(2_000);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('have separate size limits on the same connection', async () => {
    const server = await startHttp((_request, response) => response.end('y'.repeat(30_000)));
    const { post } = createClient();
    for (let i = 0; i < 5; i++) expect(await post(server.url)).toMatchObject({ ok: true });
    expect(server.connections).toBe(1);
  });

  test('are cut to 4 KiB, and keep the connection open', async () => {
    const server = await startHttp((_request, response) => response.end('y'.repeat(60_000)));
    const { post } = createClient();
    expect((await post(server.url)).body).toBe('y'.repeat(4096));
    expect((await post(server.url)).body).toBe('y'.repeat(4096));
    expect(server.connections).toBe(1);
  });

  test('are never decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
    });
    const result = await createClient().post(server.url);
    expect(result).toMatchObject({ ok: true, headers: { 'content-encoding': 'gzip' } });
    expect(Buffer.byteLength(result.body ?? '')).toBeLessThanOrEqual(4096);
  });

  test('become text without NUL, at most 4 KiB, whatever their bytes', async () => {
    const bodies = [
      Buffer.from('a\u0000b\u0000'),
      Buffer.from([0x61, 0xff, 0xfe, 0x62]),
      Buffer.alloc(9_000, 0xff),
      Buffer.from(`a${'🚀'.repeat(2_000)}`),
    ];
    const server = await startHttp((_request, response) => response.end(bodies.shift()));
    const { post } = createClient();
    expect((await post(server.url)).body).toBe('ab');
    expect((await post(server.url)).body).toBe('a\ufffd\ufffdb');
    expect((await post(server.url)).body).toBe('\ufffd'.repeat(1365));
    expect((await post(server.url)).body).toBe(`a${'🚀'.repeat(1023)}`);
  });

  test('report a connection that is reset before the head is complete', async () => {
    const server = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.resetAndDestroy());
    });
    const result = await createClient().post(server.url);
    expect(result).toMatchObject({ ok: false, errorCode: 'connection_reset', status: null });
  });

  test('are judged by their status if the connection is reset in the body', async () => {
    const server = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nso far');
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    const result = await createClient().post(server.url);
    expect(result).toMatchObject({ ok: true, status: 200, body: 'so far' });
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['an answer to an upgrade nobody asked for', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'],
  ])('report %s', async (_what, bytes) => {
    const server = await startRaw((socket) => socket.write(bytes));
    const result = await createClient().post(server.url);
    expect(result).toMatchObject({ ok: false, errorCode: 'connection_reset' });
    await expect.poll(() => server.sockets.size).toBe(0);
  });
});

describe('a kept connection that the server closes', () => {
  test('is retried once, on a new connection', async () => {
    const server = await startRaw((socket, number) => {
      if (number === 1) socket.write(`${okHead}ok`);
      else socket.resetAndDestroy();
    });
    const { post } = createClient();
    expect(await post(server.url)).toMatchObject({ ok: true });
    const second = await post(server.url);
    expect(second).toMatchObject({ ok: true, timings: { connect_ms: expect.any(Number) } });
    expect(server.connections).toBe(2);
  });

  test('is not retried twice', async () => {
    let connections = 0;
    const server = await startRaw((socket, number) => {
      if (number === 1 && connections++ === 0) socket.write(`${okHead}ok`);
      else socket.resetAndDestroy();
    });
    const { post } = createClient();
    expect(await post(server.url)).toMatchObject({ ok: true });
    expect(await post(server.url)).toMatchObject({ ok: false, errorCode: 'connection_reset' });
    expect(server.connections).toBe(2);
  });

  test('is not retried after the first byte of the response', async () => {
    const server = await startRaw((socket, number) => {
      if (number === 1) socket.write(`${okHead}ok`);
      else socket.write('HTTP/1.1 2', () => setTimeout(() => socket.resetAndDestroy(), 30));
    });
    const { post } = createClient();
    expect(await post(server.url)).toMatchObject({ ok: true });
    expect(await post(server.url)).toMatchObject({ ok: false, errorCode: 'connection_reset' });
    expect(server.connections).toBe(1);
  });

  test('is not retried when the connection is new', async () => {
    const server = await startRaw((socket) => socket.resetAndDestroy());
    expect(await createClient().post(server.url)).toMatchObject({ errorCode: 'connection_reset' });
    expect(server.connections).toBe(1);
  });
});
