// The TypeScript client at a server whose answers are not as documented: every failure is a FanfareError.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { Fanfare, FanfareError, uploadFile } from '../../../clients/typescript/src/index.ts';

const at = (answer: (request: Request) => Response | Promise<Response>) =>
  new Fanfare({
    url: 'https://fanfare.test',
    apiKey: 'key',
    maxRetries: 1,
    fetch: async (url, init) => answer(new Request(url, init)),
  });

/** The client fails with this code. */
async function expectCode(call: PromiseLike<unknown>, code = 'invalid_answer') {
  const error = await call.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FanfareError);
  expect(error).toMatchObject({ code });
  return error as FanfareError;
}

const draft = { status: 'draft' } as const;
const png = new Blob([new Uint8Array(100)], { type: 'image/png' });

describe('a successful answer', () => {
  test.for(['null', '{}', '[]', '7', '{"data":null}', '<html>', ''])('of %j', async (body) => {
    const client = at(() => new Response(body, { headers: { 'X-Request-Id': 'req_1' } }));
    const error = await expectCode(client.posts.get('post_1'));
    expect(error).toMatchObject({ status: 200, requestId: 'req_1', isRetriable: false });
    await expectCode(client.posts.create(draft));
    await expectCode(client.posts.create(draft, { wait: '1s' }));
    await expectCode(client.posts.list());
    await expectCode(client.posts.counts({ from: '2026-01-01', to: '2026-01-02' }));
    await expectCode(Array.fromAsync(client.posts.list()));
    await expectCode(client.media.upload(png));
    await expectCode(uploadFile(`data:application/json,${encodeURIComponent(body)}`, png));
    await expectCode(client.live.posts().next());
  });

  test('of a list without its position, and of media without a URL', async () => {
    const client = at(() => Response.json({ data: {} }));
    await expectCode(Array.fromAsync(client.posts.list()));
    await expectCode(client.media.upload(png));
    const flat = at(() => Response.json({ data: [], meta: null }));
    await expectCode(Array.fromAsync(flat.posts.list()));
  });

  test('of a deletion with an odd count', async () => {
    for (const count of ['abc', '-1', '1.5']) {
      const headers = { 'Fanfare-Still-Public': count };
      const client = at(() => new Response(null, { status: 204, headers }));
      await expectCode(client.posts.delete('post_1'));
    }
  });

  test('of a page that leads to itself', async () => {
    for (const next of ['same', {}]) {
      let pages = 0;
      const client = at(() => {
        pages++;
        return Response.json({ data: [{ id: 'a' }], meta: { next_cursor: next } });
      });
      await expectCode(Array.fromAsync(client.posts.list()));
      expect(pages).toBeLessThanOrEqual(2);
    }
  });
});

describe('a refusal', () => {
  const refusal = (error: object, status = 400) =>
    at(() => Response.json({ error }, { status })).posts.get('post_1', { maxRetries: 0 });

  test('has only members of the documented types', async () => {
    const odd = { message: { a: 1 }, hint: 7, issues: 'boo', is_retriable: 'no' };
    expect(await expectCode(refusal({ code: 'odd', ...odd }), 'odd')).toMatchObject({
      message: 'odd',
      hint: undefined,
      issues: [],
      isRetriable: false,
    });
    const issue = { path: 'a', message: 'b', code: 'c' };
    const issues = [null, 1, issue];
    expect((await expectCode(refusal({ code: 'odd', issues }), 'odd')).issues).toEqual([issue]);
    for (const seconds of [-100, 'soon', null]) {
      const error = await expectCode(refusal({ code: 'odd', retry_after_s: seconds }), 'odd');
      expect(error.retryAfter, String(seconds)).toBeUndefined();
    }
  });

  test('without an error of Fanfare', async () => {
    for (const body of ['null', '[]', '{"errors":[null]}', '{"errors":7}', '{"error":"no"}']) {
      const client = at(() => new Response(body, { status: 400 }));
      expect(await expectCode(client.posts.get('post_1'))).toMatchObject({ status: 400 });
    }
  });
});

describe('an upload', () => {
  /** Answers to its parts. */
  function upload(answer: (part: number) => Response) {
    let parts = 0;
    const client = at(({ method }) =>
      method === 'PUT'
        ? answer(parts++)
        : Response.json({ data: { id: 'med_1', upload_url: 'https://fanfare.test/up' } }),
    );
    return { call: client.media.upload(png), parts: () => parts };
  }
  const received = (bytes: unknown) =>
    Response.json({ data: { received_bytes: bytes } }, { status: 308 });

  test('without progress ends after its retries', async () => {
    const { call, parts } = upload(() => received(0));
    await expectCode(call);
    // The part, the question where to continue, and the part.
    expect(parts()).toBe(3);
  });

  test.for([-5, 1e9, 1.5, null, '7', undefined])('of %j bytes ends at once', async (bytes) => {
    const { call, parts } = upload(() => received(bytes));
    await expectCode(call);
    expect(parts()).toBe(1);
  });

  test('to a URL that is none ends at once', async () => {
    await expectCode(uploadFile('nowhere', png));
  });

  test('sends its bytes to no other server', async () => {
    const stolen: string[] = [];
    await using thief = await listen((path) => {
      stolen.push(path);
      return { status: 200, headers: {} };
    });
    for (const status of [307, 308]) {
      await using server = await listen(() => ({ status, headers: { Location: thief.url } }));
      await expectCode(uploadFile(server.url, png, { maxRetries: 0 }));
    }
    expect(stolen).toEqual([]);
  });

  test('reads 308 in browsers, whose fetch shows it only if it may follow', async () => {
    const modes: unknown[] = [];
    vi.stubGlobal('fetch', async (_: unknown, init: RequestInit) => {
      modes.push(init.redirect);
      return Response.json({ data: {} });
    });
    await uploadFile('https://fanfare.test/up', png);
    vi.stubGlobal('document', {});
    await uploadFile('https://fanfare.test/up', png);
    vi.unstubAllGlobals();
    expect(modes).toEqual(['manual', 'follow']);
  });
});

describe('the live stream', () => {
  const cursor = { data: { liveCursor: 'c0' } };
  const isStream = (request: Request) => request.headers.get('Accept') === 'text/event-stream';
  const events = (body: string | ReadableStream) =>
    new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  const stream = (...messages: string[]) =>
    events(messages.map((data) => `event: next\ndata: ${data}\n\n`).join(''));
  const update = (members: object) => JSON.stringify({ data: { postUpdated: members } });
  const deleted = { cursor: 'c1', change: 'deleted', postId: 'post_1', resultId: null, post: null };

  test.for([
    update({ ...deleted, post: { id: 'post_1' } }),
    update({ ...deleted, post: { results: [null] } }),
    update({ ...deleted, post: 'post_1' }),
    update({ ...deleted, cursor: undefined }),
    update(['none']),
  ])('ends at the update %s', async (message) => {
    const client = at((request) => (isStream(request) ? stream(message) : Response.json(cursor)));
    await expectCode(client.live.posts().next());
  });

  test('resumes after what is no message', async () => {
    for (const message of ['{bad', 'null', '[]', '{"data":7}', '{"errors":[null]}']) {
      const lost: string[] = [];
      let streams = 0;
      const client = at((request) => {
        if (!isStream(request)) return Response.json(cursor);
        return stream(streams++ === 0 ? message : update(deleted));
      });
      const posts = client.live.posts({ onLost: ({ code }) => lost.push(code) });
      expect((await posts.next()).value).toMatchObject({ cursor: 'c1', change: 'deleted' });
      expect(lost).toEqual(['connection_failed']);
    }
  });

  test('ends at a message of more than 4 MiB', async () => {
    let sent = 0;
    const client = at((request) => {
      if (!isStream(request)) return Response.json(cursor);
      const pull = (to: ReadableStreamDefaultController) => {
        to.enqueue(new Uint8Array(1_048_576).fill(0x78));
        sent++;
      };
      return events(new ReadableStream({ pull }));
    });
    await expectCode(client.live.posts().next());
    expect(sent).toBeLessThan(8);
  });

  test('ends at a cursor that is none', async () => {
    await expectCode(
      at(() => Response.json({ data: {} }))
        .live.posts()
        .next(),
    );
  });

  test('waits as long as a timer can if the server says so', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const stopping = new AbortController();
    const headers = { 'Retry-After': '31536000' };
    const client = at((request) =>
      isStream(request) ? new Response('', { status: 503, headers }) : Response.json(cursor),
    );
    const onLost = vi.fn<() => void>();
    const next = client.live.posts({ signal: stopping.signal, onLost }).next();
    await expect.poll(() => timers.mock.calls.map(([, ms]) => ms)).toContain(2 ** 31 - 1);
    expect(onLost).toHaveBeenCalledOnce();
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    timers.mockRestore();
  });
});

interface Listener extends AsyncDisposable {
  url: string;
}

async function listen(
  answer: (path: string) => { status: number; headers: Record<string, string> },
): Promise<Listener> {
  const server: Server = createServer((incoming, outgoing) => {
    const { status, headers } = answer(incoming.url ?? '');
    incoming.resume().on('end', () => outgoing.writeHead(status, headers).end('{"data":{}}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/up`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
