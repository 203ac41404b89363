// The HTTP server: routing, malformed requests, sockets, bodies, errors and closing.
import { once } from 'node:events';
import { createServer as createHttpServer, request } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { holdPort } from '../../../api/server/ports.ts';
import { createServer, type Server } from '../../../api/server/server.ts';
import { createStoredDocuments } from '../../../api/graphql/server/stored-documents.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { subscribeOverSocket, subscribeOverSse } from '../../support/graphql/graphql.ts';
import { connectTcp, openTcpSocket, upgradeRequest } from '../../support/receivers/raw-socket.ts';

let app: TestApp;
let server: Server;
let url: string;

/** The paths of the requests so far. */
const asked: string[] = [];
/** Until then, `/v1/held` has no answer. */
const held = Promise.withResolvers<void>();

/** Echoes the request. */
async function echo(incoming: Request): Promise<Response> {
  const { pathname } = new URL(incoming.url);
  asked.push(pathname);
  if (pathname === '/v1/held') await held.promise;
  if (pathname === '/v1/rejects') throw new Error('secret detail');
  if (pathname === '/v1/stream') return new Response(incoming.body);
  if (pathname === '/v1/page') {
    return new Response('a page', { headers: { 'Content-Type': 'text/html' } });
  }
  const bytes = (await incoming.bytes()).length;
  return Response.json({ method: incoming.method, path: pathname, bytes });
}

beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false } });
  const { config } = app.context;
  const sockets = { ...config.sockets, max: 1 };
  server = createServer(
    { ...app.context, config: { ...config, sockets }, log: pino({ level: 'silent' }) },
    {
      documents: createStoredDocuments(config.storedDocuments),
      rest: { fetch: echo },
      connect: { fetch: () => new Response('connect') },
      share: { fetch: () => new Response('share') },
      inbound: { fetch: () => new Response('inbound') },
      brand: { fetch: () => new Response('brand') },
      sandbox: { fetch: (_, { req }) => new Response(`sandbox ${req.socket.remoteAddress}`) },
      mcp: {
        fetch: () => Promise.resolve(new Response('mcp')),
        endWaits: () => {},
        close: () => Promise.resolve(),
      },
      home: () => {
        throw new Error('secret detail');
      },
    },
  );
  url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
});
afterAll(async () => {
  await server.close();
  await app.stop();
});

describe('a path', () => {
  test.each([
    ['/connect', 'connect'],
    ['/connect/cs_1?token=a', 'connect'],
    ['/inbound/meta/a/deauthorize', 'inbound'],
    ['/data-deletion/a', 'inbound'],
    ['/sandbox/posts', 'sandbox 127.0.0.1'],
  ])('%s reaches its handler', async (path, text) => {
    const answer = await fetch(url + path);
    expect(await answer.text()).toBe(text);
  });

  test.each(['/v1/posts', '/docs', '/healthz', '/connected', '/graphql/health', '/v1'])(
    '%s reaches the REST API',
    async (path) => {
      const answer = await fetch(url + path, { method: 'DELETE' });
      expect(await answer.json()).toEqual({ method: 'DELETE', path, bytes: 0 });
    },
  );

  test.each(['/v1/rejects', '/'])('%s whose handler throws hides the error', async (path) => {
    const answer = await fetch(url + path, { headers: { 'X-Request-Id': 'mine-1' } });
    expect(answer.status).toBe(500);
    expect(answer.headers.get('X-Request-Id')).toBe('mine-1');
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'internal' },
      request_id: 'mine-1',
    });
    expect(text).not.toContain('secret');
  });
});

test.each(['/graphql', '/graphql/', '/graphql/health'])(
  'a request whose address ends with %s still reaches its own path',
  async (end) => {
    const headers = { Accept: 'text/html' };
    const answer = await fetch(`${url}/v1/posts?next=${end}`, { headers });
    expect(await answer.json()).toMatchObject({ path: '/v1/posts' });
  },
);

test('GraphiQL leaves the headers of other pages as they are', async () => {
  const graphiql = await fetch(`${url}/graphql`, { headers: { Accept: 'text/html' } });
  await graphiql.bytes();
  expect(graphiql.headers.get('ETag')).toMatch(/^W\/"/);
  const page = await fetch(`${url}/v1/page`);
  expect(page.headers.get('ETag')).toBeNull();
});

describe('an unusual request', () => {
  /** The server keeps the connection, so the length of the body or its last chunk ends the answer. */
  function isWhole(answer: string): boolean {
    const head = answer.split('\r\n\r\n', 1)[0]!;
    const [, length] = /^content-length: (\d+)$/im.exec(head) ?? [];
    if (length === undefined) return answer.endsWith('\r\n0\r\n\r\n');
    return Buffer.byteLength(answer) === Buffer.byteLength(head) + 4 + Number(length);
  }

  /** Sends raw bytes, because clients would correct them. */
  function send(text: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString();
        if (isWhole(answer)) socket.destroy();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', () => socket.destroy());
      socket.setTimeout(10_000, () => socket.destroy());
      socket.write(text);
    });
  }

  test.each(['a b', '[', '[::bad', 'x:y', 'a@b', 'x/connect?', 'x#', 'x\\'])(
    'is 400 for the host %j',
    async (host) => {
      const answer = await send(
        `GET /v1 HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: mine-2\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({
        error: { code: 'validation_error', issues: [{ path: 'Host', code: 'invalid_host' }] },
        request_id: 'mine-2',
      });
    },
  );

  test.each(['//', '//evil/v1', '//v1/posts', 'http://[', '*', 'http://x//'])(
    'reaches the REST API with the target %s',
    async (target) => {
      for (const method of ['OPTIONS', 'GET']) {
        const answer = await send(`${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
        expect(answer).toContain(`"method":"${method}"`);
      }
    },
  );

  test('reaches the path of an absolute URL', async () => {
    const answer = await send('GET http://elsewhere/v1/posts?a=b HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer).toContain('"path":"/v1/posts"');
  });

  test('waits for the answer to the request before it on its connection', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const socket = await connectTcp(url);
    socket.resume().write(get('/v1/held') + get('/v1/next'));
    await expect.poll(() => asked).toContain('/v1/held');
    await fetch(`${url}/v1/other`);
    expect(asked).not.toContain('/v1/next');
    held.resolve();
    await expect.poll(() => asked).toContain('/v1/next');
    socket.destroy();
  });

  test('ends the connection if it is one of a thousand at once', async () => {
    const socket = await connectTcp(url);
    socket.on('error', () => undefined).resume();
    socket.write('GET /v1/many HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
    await once(socket, 'close');
    expect(asked.filter((path) => path === '/v1/many').length).toBeLessThan(200);
  });

  test('is answered in HTTP/1.1 if it offers h2c', async () => {
    const offer =
      'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const answer = await send(`GET /v1 HTTP/1.1\r\nHost: x\r\n${offer}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a socket', () => {
  test('is refused over the limit until another socket closes', async () => {
    const open = () =>
      new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const first = open();
    await once(first, 'open');
    await expect(once(open(), 'open')).rejects.toThrow('503');
    first.close();
    await once(first, 'close');
    const next = open();
    await once(next, 'open');
    next.close();
    await once(next, 'close');
  });
});

describe('a body', () => {
  test('arrives complete, with a length or in chunks', async () => {
    const body = 'x'.repeat(3_000_000);
    const sized = await fetch(`${url}/v1/size`, { method: 'POST', body });
    expect(await sized.json()).toMatchObject({ bytes: body.length });
    const stream = new Blob([body]).stream();
    const chunked = await fetch(`${url}/v1/size`, { method: 'POST', body: stream, duplex: 'half' });
    expect(await chunked.json()).toMatchObject({ bytes: body.length });
  });

  test('streams through in both directions', async () => {
    const call = request(`${url}/v1/stream`, { method: 'POST' });
    const answered = new Promise<string>((resolve, reject) => {
      call.once('error', reject);
      call.once('response', (response) => {
        response.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      });
    });
    call.write('first');
    expect(await answered).toBe('first');
    call.end();
  });

  test('does not harm the server if it is incomplete', async () => {
    const headers = { 'content-length': 100, expect: '100-continue' };
    const call = request(`${url}/v1/size`, { method: 'POST', headers });
    call.on('error', () => {});
    await once(call, 'continue');
    await new Promise((resolve) => call.write('only this', resolve));
    await new Promise((resolve) => call.once('close', resolve).destroy());
    expect((await fetch(`${url}/v1/size`)).status).toBe(200);
  });

  test('is limited while it arrives at GraphQL', async () => {
    const limit = app.context.config.maxBodyBytes;
    const query = `{ __typename } # ${'x'.repeat(limit)}`;
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([JSON.stringify({ query })]).stream(),
      duplex: 'half',
    });
    expect(answer.status).toBe(413);
    const { errors } = (await answer.json()) as { errors: [{ extensions: { code: string } }] };
    expect(errors[0].extensions.code).toBe('payload_too_large');
  });
});

describe('close', () => {
  test('ends streams with an error and sockets with 1001', async () => {
    const query = 'subscription { postUpdated { cursor } }';
    const other = await startApp({ roles: { api: true, worker: false } });
    const { key } = other.tenant;
    const socket = subscribeOverSocket({ url: other.url, key, query });
    const stream = await subscribeOverSse({ url: other.url, key, query });
    const account = await other.tenant.connectSandbox('ada');
    await other.tenant.createPost({ caption: 'a', account_ids: [account.id], status: 'draft' });
    await Promise.all([socket.waitFor(1), stream.waitFor(1)]);
    const startedAt = Date.now();
    await other.stop();
    expect(Date.now() - startedAt).toBeLessThan(4_000);
    expect(await socket.closed).toBe(1001);
    expect(stream.messages.at(-1).errors[0].extensions).toMatchObject({
      code: 'unavailable',
      isRetriable: true,
    });
  });

  test('refuses a new socket on an existing connection', async () => {
    const other = await startApp({ roles: { api: true, worker: false } });
    const late = await connectTcp(other.url);
    // It doesn't answer the close frame, which delays the end of the server.
    const slow = await openTcpSocket(other.url);
    const closing = once(slow, 'data');
    const stopped = other.stop();
    await closing;
    late.write(upgradeRequest);
    const [answer] = (await once(late, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
    await stopped;
    slow.destroy();
  });
});

test('a held port refuses other servers, and its own server can listen on it', async () => {
  const held = await holdPort('127.0.0.1');
  const [other, own] = [createHttpServer(), createHttpServer((_, answer) => answer.end('ok'))];
  await expect(once(other.listen(held.port, '127.0.0.1'), 'listening')).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await once(own.listen(held.server), 'listening');
  expect(await (await fetch(`http://127.0.0.1:${held.port}`)).text()).toBe('ok');
  own.close();
  own.closeAllConnections();
});
