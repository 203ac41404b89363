// What fetch throws, and whether the network can have taken the call: with real sockets on loopback.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { toTransportError } from '../../../activities/platforms/transport-errors.ts';
import { BlockedAddressError } from '../../../activities/egress/url-guard.ts';

function readFixture(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** What a POST throws at a server that treats its connections so. */
async function failWith(treat: (socket: Socket) => void, init: RequestInit = {}): Promise<unknown> {
  const server = createServer(treat);
  const port = await listen(server);
  try {
    return await post(`http://127.0.0.1:${port}/`, init);
  } finally {
    server.close();
  }
}

async function post(url: string, init: RequestInit = {}): Promise<unknown> {
  try {
    const response = await fetch(url, { method: 'POST', body: '{}', ...init });
    await response.text();
  } catch (error) {
    return error;
  }
  throw new Error('The call did not fail.');
}

describe('toTransportError', () => {
  test('maps a refused connection to unavailable, even in a commit', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const error = toTransportError(await post(`http://127.0.0.1:${port}/`), 'commit');
    expect(error.kind).toBe('unavailable');
    expect(error.options.platformCode).toBe('ECONNREFUSED');
  });

  test('maps a name whose addresses all refuse connections to unavailable', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const error = toTransportError(await post(`http://localhost:${port}/`), 'commit');
    expect(error.kind).toBe('unavailable');
  });

  test('maps a certificate that is not trusted to unavailable, because nothing was written', async () => {
    const server = createTlsServer({
      cert: readFixture('self-signed.cert.pem'),
      key: readFixture('self-signed.key.pem'),
    });
    const port = await listen(server);
    const error = toTransportError(await post(`https://127.0.0.1:${port}/`), 'commit');
    server.close();
    expect(error.kind).toBe('unavailable');
  });

  test.each([
    [
      'a connection that ends when the request is read',
      (s: Socket) => s.once('data', () => s.destroy()),
    ],
    ['a reset', (s: Socket) => s.once('data', () => s.resetAndDestroy())],
    [
      'an answer that breaks off',
      (s: Socket) =>
        s.once('data', () => {
          s.write('HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{', () => s.destroy());
        }),
    ],
  ])('does not know the outcome after %s', async (_name, treat) => {
    const thrown = await failWith(treat);
    expect(toTransportError(thrown, 'commit').kind).toBe('unknown_outcome');
    expect(toTransportError(thrown, 'other').kind).toBe('unavailable');
  });

  test('does not know the outcome after its own time-out', async () => {
    const thrown = await failWith((socket) => socket.resume(), { signal: AbortSignal.timeout(50) });
    expect(toTransportError(thrown, 'commit').kind).toBe('unknown_outcome');
  });

  test('rejects a blocked address and passes a PlatformError on', () => {
    const blocked = new TypeError('fetch failed', { cause: new BlockedAddressError('private') });
    expect(toTransportError(blocked, 'commit').kind).toBe('rejected');
    const known = new PlatformError('rate_limited', 'later');
    expect(toTransportError(known, 'commit')).toBe(known);
  });
});
