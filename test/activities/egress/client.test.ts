// The outgoing HTTP client: requests, refusals and limits.
import { describe, expect, test } from 'vitest';
import { NotBegunError } from '../../../activities/egress/send-outcome.ts';
import {
  createClient,
  okHead,
  resolvingTo,
  startHttp,
  startRaw,
} from '../../support/receivers/loopback.ts';
import { skipAhead } from '../../support/skip-ahead.ts';

describe('send', () => {
  test('posts the body and returns the response', async () => {
    const received: unknown[] = [];
    const server = await startHttp(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      received.push([request.method, request.url, request.headers, text]);
      response.writeHead(201, { 'X-Answer': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('made');
    });
    const { send } = createClient();
    const result = await send({
      owner: 'prj_1',
      url: `http://localhost:${server.port}/hook?a=b%20c#part`,
      headers: { 'Content-Type': 'application/json', 'X-Service-Event': 'post.published' },
      body: Buffer.from('{"caption":"Zürich"}'),
    });
    expect(result).toMatchObject({
      ok: true,
      status: 201,
      headers: { 'x-answer': 'yes', 'set-cookie': 'a=1, b=2' },
      body: 'made',
      remoteAddress: '127.0.0.1',
      timings: {
        dns_ms: expect.any(Number),
        connect_ms: expect.any(Number),
        tls_ms: null,
        first_byte_ms: expect.any(Number),
        total_ms: expect.any(Number),
      },
    });
    const headers = expect.objectContaining({
      host: `localhost:${server.port}`,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'x-service-event': 'post.published',
    });
    expect(received).toEqual([['POST', '/hook?a=b%20c', headers, '{"caption":"Zürich"}']]);
  });

  test('keeps the connection for the next request, which has no connect timings', async () => {
    const server = await startHttp((_request, response) => response.end('ok'));
    const { post } = createClient();
    expect((await post(server.url)).timings.connect_ms).toEqual(expect.any(Number));
    const second = await post(server.url);
    expect(second).toMatchObject({ ok: true, remoteAddress: '127.0.0.1' });
    expect(second.timings).toMatchObject({ dns_ms: null, connect_ms: null, tls_ms: null });
    expect(server.connections).toBe(1);
  });

  test('leaves statuses of 400 and above to the caller', async () => {
    const server = await startHttp((_request, response) => response.writeHead(503).end('busy'));
    expect(await createClient().post(server.url)).toMatchObject({
      ok: true,
      status: 503,
      body: 'busy',
    });
  });

  test('does not follow a redirect', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(307, { Location: 'http://169.254.169.254/' }).end('elsewhere');
    });
    expect(await createClient().post(server.url)).toMatchObject({
      ok: false,
      errorCode: 'redirect',
      status: 307,
      headers: { location: 'http://169.254.169.254/' },
      body: 'elsewhere',
    });
    expect(server.connections).toBe(1);
  });

  test('skips interim responses', async () => {
    const server = await startRaw((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
      setTimeout(() => socket.write(`${okHead}ok`), 20);
    });
    expect(await createClient().post(server.url)).toMatchObject({ status: 200, body: 'ok' });
  });

  test('works with a server that closes after every response', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { Connection: 'close' }).end('ok');
    });
    const { post } = createClient({ connectionsPerOrigin: 2 });
    const results = await Promise.all(Array.from({ length: 20 }, () => post(server.url)));
    expect(results.every((result) => result.ok)).toBe(true);
    expect(server.connections).toBe(20);
  });
});

describe('blocked addresses', () => {
  test.each([
    'https://0x7f.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/',
    'ftp://x',
  ])('are refused at the time of sending, too: %s', async (url) => {
    const result = await createClient({ allowed: [] }).post(url);
    expect(result).toMatchObject({ ok: false, errorCode: 'blocked_address', status: null });
  });

  test('are reported like a name that does not exist', async () => {
    const server = await startHttp((_request, response) => response.end());
    const { post } = createClient({ allowed: [], lookup: resolvingTo('127.0.0.1') });
    const inside = await post(`https://hook.test:${server.port}/`);
    expect(inside).toMatchObject({ ok: false, errorCode: 'dns_failed', remoteAddress: null });
    expect(server.connections).toBe(0);
    const nowhere = createClient({
      lookup: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
    });
    const missing = await nowhere.post(`https://hook.test:${server.port}/`);
    expect({ ...inside, timings: null }).toEqual({ ...missing, timings: null });
  });

  test('are checked at every new connection, so a changed address is refused', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { Connection: 'close' }).end();
    });
    const lookup = resolvingTo('127.0.0.1', '10.0.0.1');
    const { post } = createClient({ lookup });
    const url = `http://hook.test:${server.port}/`;
    expect(await post(url)).toMatchObject({ ok: true, remoteAddress: '127.0.0.1' });
    expect(await post(url)).toMatchObject({ ok: false, errorCode: 'dns_failed' });
    expect(server.connections).toBe(1);
  });
});

describe('limits', () => {
  test('opens no more connections to an origin than allowed, and serves all waiting requests', async () => {
    const gate = Promise.withResolvers<void>();
    let open = 0;
    const server = await startHttp(async (_request, response) => {
      open += 1;
      await gate.promise;
      response.end();
    });
    const other = await startHttp((_request, response) => response.end());
    const { post } = createClient({ connectionsPerOrigin: 3 });
    const sending = Promise.all(Array.from({ length: 12 }, () => post(server.url)));
    await expect.poll(() => open).toBe(3);
    // A fourth connection would have been opened before this one.
    await post(other.url);
    expect([open, server.connections]).toEqual([3, 3]);
    gate.resolve();
    expect((await sending).every((result) => result.ok)).toBe(true);
    expect([open, server.connections]).toEqual([12, 3]);
  });

  test('counts each deadline from the connection, so a hung request does not use up the time of the next request', async () => {
    const server = await startRaw(() => {});
    const { post } = createClient({ connectionsPerOrigin: 1 });
    const results = await Promise.all([1, 2, 3].map(() => post(server.url, { deadlineMs: 500 })));
    for (const result of results) {
      expect(result).toMatchObject({ errorCode: 'response_timeout' });
    }
    expect(server.connections).toBe(3);
  });

  test('refuses requests that cannot begin in time', async () => {
    const server = await startRaw(() => {});
    const { post } = createClient({ connectionsPerOrigin: 1 });
    const first = post(server.url, { deadlineMs: 300 });
    await expect(post(server.url, { beginWithinMs: 50 })).rejects.toThrow(NotBegunError);
    expect(await first).toMatchObject({ errorCode: 'response_timeout' });
    expect(server.connections).toBe(1);
  });

  test('refuses requests at once while a server hangs, and gives each refused request a longer wait', async () => {
    const server = await startRaw(() => {});
    const { post } = createClient({ connectionsPerOrigin: 1 });
    const refuse = (beginWithinMs: number) =>
      post(server.url, { beginWithinMs }).then(
        () => expect.unreachable(),
        (error: NotBegunError) => error.retryAfterMs,
      );
    const first = post(server.url, { deadlineMs: 1_000 });
    const second = post(server.url, { deadlineMs: 100 });
    await expect.poll(() => server.connections).toBe(1);
    skipAhead(200);
    const [soon, later] = await Promise.all([refuse(100), refuse(100)]);
    expect(soon).toBeGreaterThanOrEqual(350);
    expect(later).toBeGreaterThanOrEqual(soon + 150);
    for (const result of await Promise.all([first, second])) {
      expect(result).toMatchObject({ errorCode: 'response_timeout' });
    }
    expect(server.connections).toBe(2);
    expect(await post(server.url, { beginWithinMs: 500, deadlineMs: 500 })).toMatchObject({
      errorCode: 'response_timeout',
    });
  });

  test("does not let a project wait for another project's connections to the same origin", async () => {
    let requests = 0;
    const server = await startRaw((socket) => {
      if (++requests > 1) socket.write(`${okHead}ok`);
    });
    const { post } = createClient({ connectionsPerOrigin: 1 });
    const hanging = post(server.url, { owner: 'prj_1', deadlineMs: 2_000 });
    await expect.poll(() => requests).toBe(1);
    const other = post(server.url, { owner: 'prj_2', beginWithinMs: 1_500 });
    expect(await other).toMatchObject({ ok: true });
    expect(await hanging).toMatchObject({ errorCode: 'response_timeout' });
  });

  test('passes the owner of the request to the lookup', async () => {
    const owners: string[] = [];
    const { post } = createClient({
      lookup: (_hostname, owner) => {
        owners.push(owner);
        return Promise.reject(new Error('None.'));
      },
    });
    await post('https://hook.test/', { owner: 'prj_1' });
    await post('https://hook.test/', { owner: 'prj_2' });
    expect(owners).toEqual(['prj_1', 'prj_2']);
  });

  test('ends waiting and running requests at the signal of the caller', async () => {
    const server = await startRaw(() => {});
    const { post } = createClient({ connectionsPerOrigin: 1 });
    const stop = new AbortController();
    const both = [1, 2].map(() => post(server.url, { signal: stop.signal }));
    setTimeout(() => stop.abort(new Error('enough')), 50);
    for (const one of both) await expect(one).rejects.toThrow('enough');
    await expect(post(server.url, { signal: stop.signal })).rejects.toThrow('enough');
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('rejects a header that cannot be sent', async () => {
    const server = await startHttp((_request, response) => response.end());
    const { post } = createClient();
    await expect(post(server.url, { headers: { 'X-Bad': 'a\r\nb: c' } })).rejects.toThrow(/header/);
    expect(await post(server.url)).toMatchObject({ ok: true });
  });

  test('closes the idle connections of the least recently used origin', async () => {
    const servers = await Promise.all(
      [1, 2, 3].map(() => startHttp((_request, response) => response.end())),
    );
    const { post } = createClient({ maxOrigins: 2 });
    for (const server of servers) await post(server.url);
    const [first, second, third] = servers;
    await expect.poll(() => first?.sockets.size).toBe(0);
    expect([second?.sockets.size, third?.sockets.size]).toEqual([1, 1]);
  });

  test('closes a connection that is idle for too long', async () => {
    const server = await startHttp((_request, response) => response.end());
    const { post } = createClient({ keepAliveMs: 50 });
    await post(server.url);
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(await post(server.url)).toMatchObject({ ok: true });
  });
});

describe('close', () => {
  test('lets running requests end, refuses waiting ones, and leaves no connection', async () => {
    const gate = Promise.withResolvers<void>();
    let open = 0;
    const server = await startHttp(async (_request, response) => {
      open += 1;
      await gate.promise;
      response.end('done');
    });
    const { post, close } = createClient({ connectionsPerOrigin: 1 });
    const runs = post(server.url);
    const waits = post(server.url);
    const refused = expect(waits).rejects.toThrow(NotBegunError);
    await expect.poll(() => open).toBe(1);
    const closing = close();
    await refused;
    gate.resolve();
    await closing;
    expect(await runs).toMatchObject({ ok: true, body: 'done' });
    await expect(post(server.url)).rejects.toThrow(NotBegunError);
    await expect.poll(() => server.sockets.size).toBe(0);
  });
});
