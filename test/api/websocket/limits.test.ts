// How many sockets there may be, how long one may be silent or unused, and how much may wait for its client.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startApp, useApp } from '../../support/app/app.ts';
import {
  closeOf,
  createSocket,
  nextMessage,
  openOwnSocket,
  openSocket,
  refusalOf,
  send,
} from '../../support/receivers/raw-socket.ts';

const pingMs = 300;
const idleMs = 1_000;

const app = useApp({
  roles: { api: true, worker: false },
  env: {
    FANFARE_SOCKET_PING_MS: String(pingMs),
    FANFARE_SOCKET_IDLE_MS: String(idleMs),
  },
});

const own = () => openOwnSocket(app.url, app.tenant.key);
const subscribe = {
  type: 'subscribe',
  id: '1',
  payload: { query: 'subscription { postUpdated { cursor } }' },
};

const startLimited = (env: Record<string, string>) =>
  startApp({ roles: { api: true, worker: false }, env });

describe('sockets', () => {
  test('are closed with 1013 if the project has too many open sockets, until one of these closes', async () => {
    await using limited = await startLimited({ FANFARE_MAX_SOCKETS_PER_PROJECT: '2' });
    const { url, tenant } = limited;
    const [first] = await Promise.all([1, 2].map(() => openOwnSocket(url, tenant.key)));
    const third = await openSocket(url);
    send(third, { type: 'connection_init', payload: { apiKey: tenant.key } });
    const refused = await closeOf(third);
    expect(refused).toEqual({ code: 1013, reason: 'The project has too many sockets' });
    const stranger = await limited.createTenant('stranger');
    await openOwnSocket(url, stranger.key);
    first!.close();
    await once(first!, 'close');
    const again = await openOwnSocket(url, tenant.key);
    expect(again.readyState).toBe(again.OPEN);
  });

  test('get 503 with Retry-After if the server has too many', async () => {
    await using limited = await startLimited({ FANFARE_MAX_SOCKETS: '2' });
    const { url, tenant } = limited;
    await openOwnSocket(url, tenant.key);
    await openOwnSocket(url, tenant.key);
    const refused = await refusalOf(createSocket(url));
    expect(refused).toMatchObject({ status: 503, retryAfter: '5' });
  });

  test('without a key have half of the places, and a new socket closes the oldest one', async () => {
    await using limited = await startLimited({ FANFARE_MAX_SOCKETS: '4' });
    const { url, tenant } = limited;
    await openOwnSocket(url, tenant.key);
    const oldest = await openSocket(url);
    const closed = closeOf(oldest);
    const middle = await openSocket(url);
    const newest = await openSocket(url);
    expect(await closed).toMatchObject({ code: 1006 });
    for (const stranger of [middle, newest]) {
      send(stranger, { type: 'connection_init', payload: { apiKey: tenant.key } });
      expect(await nextMessage(stranger)).toMatchObject({ type: 'connection_ack' });
    }
  });
});

describe('a socket', () => {
  test('is closed if nothing runs on it', async () => {
    const socket = await own();
    const openedAt = Date.now();
    expect(await closeOf(socket)).toEqual({ code: 1000, reason: 'Idle' });
    expect(Date.now() - openedAt).toBeGreaterThanOrEqual(idleMs - pingMs);
  });

  test('stays open while a stream runs on it, even if nothing comes', async () => {
    const socket = await own();
    send(socket, subscribe);
    // Opened later, so its idle time ends later too.
    const unused = await own();
    expect(await closeOf(unused)).toMatchObject({ reason: 'Idle' });
    send(socket, { type: 'ping' });
    expect(await nextMessage(socket)).toEqual({ type: 'pong' });
    send(socket, { type: 'complete', id: '1' });
    expect(await closeOf(socket)).toMatchObject({ code: 1000 });
  });

  test('is cut if it does not answer a ping, whatever runs on it', async () => {
    const socket = createSocket(app.url, undefined, { autoPong: false });
    await once(socket, 'open');
    const acknowledged = once(socket, 'message');
    send(socket, { type: 'connection_init', payload: { apiKey: app.tenant.key } });
    await acknowledged;
    send(socket, subscribe);
    expect(await closeOf(socket)).toMatchObject({ code: 1006 });
  });
});

describe('a client that keeps sending and never reads', () => {
  test('is closed before many answers wait for it', async () => {
    await using patient = await startApp({
      roles: { api: true, worker: false },
      env: { FANFARE_SOCKET_PING_MS: '60000' },
    });
    const socket = await openOwnSocket(patient.url, patient.tenant.key);
    socket.pause();
    const payload = { text: 'x'.repeat(200_000) };
    // The kernel's buffers on both sides, and then the server's own queue.
    for (let sent = 0; sent < 400; sent++) {
      send(socket, { type: 'ping', payload });
      if (sent % 20 === 0) await nextTurn();
    }
    await expect.poll(() => socket.bufferedAmount, { timeout: 10_000 }).toBe(0);
    let seen = 0;
    socket.on('message', () => seen++);
    socket.resume();
    const { code, reason } = await closeOf(socket);
    expect(code).toBe(1013);
    expect(reason).toMatch(/resume/);
    expect(seen).toBeLessThan(400);
  });
});
