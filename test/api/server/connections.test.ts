// REST over real connections: readiness, and bodies that are chunked, too large or incomplete.
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startApp, useApp } from '../../support/app/app.ts';

const app = useApp();

/** Sends the pieces as a chunked body, and reads the answer meanwhile. */
function sendPieces(pieces: string[]): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${app.tenant.key}`,
      'Content-Type': 'application/json',
    };
    const sending = request(new URL('/v1/webhooks', app.url), { method: 'POST', headers });
    sending.once('error', reject).once('response', (response) => {
      let text = '';
      response.on('data', (piece) => (text += String(piece)));
      response.once('end', () => resolve({ status: response.statusCode!, text }));
    });
    for (const piece of pieces) sending.write(piece);
    sending.end();
  });
}

describe('GET /readyz', () => {
  test('is 200 while everything runs', async () => {
    const answer = await app.api.get('/readyz');
    expect([answer.status, answer.body]).toEqual([200, { status: 'ready', missing: [] }]);
  });
});

test('TRACE at a hosted page is not a failure of the server', async () => {
  const status = await new Promise((resolve, reject) => {
    const url = new URL('/connect/cs_any', app.url);
    const sending = request(url, { method: 'TRACE' }, (response) => {
      resolve(response.resume().statusCode);
    });
    sending.once('error', reject).end();
  });
  expect(status).toBe(404);
});

describe('a chunked body', () => {
  test('is read whole', async () => {
    const { status, text } = await sendPieces(['{"ur', 'l":"nowhere"}']);
    expect([status, JSON.parse(text).error.issues[0].code]).toEqual([422, 'not_absolute']);
  });

  test('closes the connection if it is over the limit, so that no later request waits there', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (method: string, path: string, pieces: string[]) =>
      new Promise<string>((resolve, reject) => {
        const headers = { Authorization: `Bearer ${app.tenant.key}` };
        const options = { method, headers, agent, timeout: 5_000 };
        const sending = request(new URL(path, app.url), options, (response) => {
          response.resume().once('end', () => {
            resolve(`${response.statusCode} ${response.headers.connection}`);
          });
        });
        sending.once('timeout', () => sending.destroy(new Error('no answer')));
        sending.once('error', reject);
        for (const piece of pieces) sending.write(piece);
        sending.end();
      });
    const pieces = Array.from({ length: 30 }, () => 'x'.repeat(65_536));
    expect(await send('POST', '/connect/cs_any', pieces)).toBe('413 close');
    expect(await send('GET', '/v1/accounts', [])).toBe('200 keep-alive');
    agent.destroy();
  });

  test('gets its whole answer before it ends if it is refused early', async () => {
    const sending = request(new URL('/v1/nothing', app.url), { method: 'POST' });
    sending.write('x');
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([404, 'close']);
    const [text] = (await once(answer, 'data')) as [Buffer];
    expect(JSON.parse(String(text)).error.code).toBe('not_found');
    sending.end();
    await once(sending, 'close');
  });

  test('keeps its connection for 2 s after the answer if it never ends', async () => {
    const sending = request(new URL('/v1/nothing', app.url), { method: 'POST' });
    sending.on('error', () => undefined).write('x');
    const closed = once(sending, 'close');
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    const startedAt = Date.now();
    answer.resume();
    await closed;
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  test('gets 413 while it is still being sent if it is over the limit', async () => {
    const piece = 'x'.repeat(100_000);
    const { status, text } = await sendPieces(Array.from({ length: 60 }, () => piece));
    expect([status, JSON.parse(text).error.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('an incomplete body', () => {
  test('does not harm the server', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/webhooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.tenant.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n' +
        'Expect: 100-continue\r\n\r\n{"url"',
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 100 /);
    socket.destroy();
    await once(socket, 'close');
    expect((await app.api.get('/v1/limits')).status).toBe(200);
  });
});

test('a client that reads nothing of its answers is cut off, and a client that reads slowly is not', async () => {
  await using stalling = await startApp({
    roles: { api: true, worker: false },
    env: { FANFARE_STALLED_MS: '1000' },
  });
  const { tenant, url } = stalling;
  const { id } = await tenant.connectSandbox('ada');
  const draft = { status: 'draft', account_ids: [id], caption: 'x'.repeat(5_000) };
  for (let i = 0; i < 100; i++) await tenant.createPost(draft);
  const { hostname, port } = new URL(url);
  const head = `Host: x\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`;

  /** Bytes until the connection ends. */
  async function readAll(socket: Socket, pauseMs = 0): Promise<number> {
    let bytes = 0;
    const ended = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (pauseMs === 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), pauseMs);
    });
    await ended;
    return bytes;
  }

  const silent = connect(Number(port), hostname).pause();
  silent.on('error', () => undefined);
  silent.write(`GET /v1/posts?limit=100 HTTP/1.1\r\n${head}`.repeat(40));
  // A client that reads nothing notices the end only when it writes.
  const isCutOff = () => {
    if (!silent.destroyed) silent.write('GET');
    return silent.destroyed;
  };
  await expect.poll(isCutOff, { timeout: 30_000 }).toBe(true);

  const slow = connect(Number(port), hostname);
  slow.write(`GET /v1/posts?limit=100 HTTP/1.1\r\nConnection: close\r\n${head}`);
  expect(await readAll(slow, 100)).toBeGreaterThan(500_000);
}, 60_000);

test('clients that read nothing of the API reference share its bytes', async () => {
  const { hostname, port } = new URL(app.url);
  const beforeBytes = process.memoryUsage().arrayBuffers;
  const sockets = Array.from({ length: 60 }, () => connect(Number(port), hostname));
  const answered = sockets.map((socket) => once(socket, 'readable'));
  for (const socket of sockets) socket.write('GET /docs/viewer.js HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all(answered);
  const heldBytes = process.memoryUsage().arrayBuffers - beforeBytes;
  for (const socket of sockets) socket.destroy();
  expect(heldBytes).toBeLessThan(60_000_000);
});
