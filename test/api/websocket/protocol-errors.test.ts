// Sockets whose client breaks the protocol close with a code, and nothing is logged.
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MockInstance } from 'vitest';
import { startApp, useApp } from '../../support/app/app.ts';
import {
  closeOf,
  createSocket,
  nextMessage,
  openOwnSocket,
  openSocket,
  openTcpSocket,
  refusalOf,
  send,
} from '../../support/receivers/raw-socket.ts';

let printed: MockInstance;

const app = useApp({ roles: { api: true, worker: false } });
beforeEach(() => {
  printed = vi.spyOn(console, 'error');
});
afterEach(() => {
  expect(printed).not.toHaveBeenCalled();
});

const own = () => openOwnSocket(app.url, app.tenant.key);

describe('the subprotocol', () => {
  test('is refused with 400 if it is unknown, and the answer names the supported one', async () => {
    const refused = await refusalOf(createSocket(app.url, ['graphql-ws']));
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('graphql-transport-ws');
  });

  test('closes the socket with 4406 if it is not named', async () => {
    const socket = createSocket(app.url, []);
    expect(await closeOf(socket)).toMatchObject({ code: 4406 });
  });

  test('is ours if several are offered', async () => {
    const socket = await openSocket(app.url, ['graphql-ws', 'graphql-transport-ws']);
    expect(socket.protocol).toBe('graphql-transport-ws');
    socket.close();
  });
});

describe('a message', () => {
  test.each([
    'nonsense',
    '',
    '[]',
    'null',
    '7',
    '{}',
    '{"type":7}',
    '{"type":"start","id":"1"}',
    '{"type":"subscribe"}',
    '{"type":"subscribe","id":1,"payload":{"query":"{ project { id } }"}}',
    '{"type":"subscribe","id":"","payload":{"query":"{ project { id } }"}}',
    '{"type":"subscribe","id":"1","payload":{"query":7}}',
    '{"type":"subscribe","id":"1","payload":{"query":"{ project { id } }","variables":[]}}',
    '{"type":"complete"}',
    '{"type":"next","id":"1","payload":{"data":{}}}',
    '{"type":"error","id":"1","payload":[]}',
    '{"type":"connection_ack"}',
    '{"type":"ping","payload":"x"}',
  ])('%j closes with 4400', async (text) => {
    const socket = await own();
    socket.send(text);
    expect(await closeOf(socket)).toMatchObject({ code: 4400 });
  });

  test('closes the socket with 4400 if its bytes are no JSON', async () => {
    const socket = await own();
    socket.send(Buffer.from([0, 159, 146, 150]));
    expect(await closeOf(socket)).toMatchObject({ code: 4400 });
  });

  test('closes the socket with 4401 if it subscribes before the key is named', async () => {
    const socket = await openSocket(app.url);
    send(socket, { type: 'subscribe', id: '1', payload: { query: '{ project { id } }' } });
    expect(await closeOf(socket)).toMatchObject({ code: 4401 });
  });

  test('closes the socket with 4429 if it names the key a second time', async () => {
    const socket = await own();
    send(socket, { type: 'connection_init', payload: { apiKey: app.tenant.key } });
    expect(await closeOf(socket)).toMatchObject({ code: 4429 });
  });

  test('closes the socket with 4409 if it takes the ID of an open operation', async () => {
    const socket = await own();
    const payload = { query: 'subscription { postUpdated { cursor } }' };
    send(socket, { type: 'subscribe', id: '1', payload });
    send(socket, { type: 'subscribe', id: '1', payload });
    expect(await closeOf(socket)).toMatchObject({ code: 4409 });
  });

  test('closes the socket with 4409 if it takes the ID of a completed operation that has not ended', async () => {
    const socket = await own();
    const payload = { query: 'subscription { postUpdated { cursor } }' };
    send(socket, { type: 'subscribe', id: '1', payload });
    send(socket, { type: 'complete', id: '1' });
    send(socket, { type: 'subscribe', id: '1', payload });
    expect(await closeOf(socket)).toMatchObject({ code: 4409 });
  });

  test('has no effect if it completes an unknown operation', async () => {
    const socket = await own();
    send(socket, { type: 'complete', id: 'x' });
    send(socket, { type: 'ping' });
    expect(await nextMessage(socket)).toEqual({ type: 'pong' });
    socket.close();
  });

  test.each([
    ['query A { project { id } }', 'B'],
    ['query A { project { id } } query B { project { id } }', undefined],
  ])('is refused if it has %j and the operation name %j', async (query, operationName) => {
    const socket = await own();
    send(socket, { type: 'subscribe', id: '1', payload: { query, operationName } });
    const { type, payload } = await nextMessage(socket);
    expect(type).toBe('error');
    expect(payload[0].extensions).toMatchObject({
      code: 'validation_error',
      requestId: expect.any(String),
    });
    socket.close();
  });

  test('closes the socket with 1009 if it is too large', async () => {
    const socket = await own();
    socket.send('x'.repeat(2_000_000));
    expect(await closeOf(socket)).toMatchObject({ code: 1009 });
  });
});

describe('frames', () => {
  const unmasked = [0x81, 0x01, 0x78];

  test.each([
    ['of an unknown kind', [0x83, 0x80, 0, 0, 0, 0], 1002],
    ['that are not masked', unmasked, 1002],
    ['of text that is no UTF-8', [0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28], 1007],
    ['that announce more than is taken', [0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1009],
  ])('%s close the socket', async (_, bytes, code) => {
    const wire = await openTcpSocket(app.url);
    wire.write(Buffer.from(bytes));
    const [frame] = (await once(wire, 'data')) as [Buffer];
    expect(frame[0]).toBe(0x88);
    expect(frame.readUInt16BE(2)).toBe(code);
    wire.destroy();
  });

  test('let the server close without a warning, even if the answers to its last frame are invalid', async () => {
    const closing = await startApp({ roles: { api: true, worker: false } });
    const warned = vi.spyOn(closing.context.log, 'warn');
    const wire = await openTcpSocket(closing.url);
    wire.on('data', () => wire.write(Buffer.from(unmasked)));
    await closing.stop();
    expect(warned).not.toHaveBeenCalled();
    wire.destroy();
  });

  test('leave the server working', async () => {
    const socket = await own();
    send(socket, { type: 'ping' });
    expect(await nextMessage(socket)).toEqual({ type: 'pong' });
    socket.close();
  });
});
