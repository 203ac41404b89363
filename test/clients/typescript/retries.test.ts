// The retries of the TypeScript client, at a server behind a proxy that loses answers: each call has its effect once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fanfare, FanfareError, type Post } from '../../../clients/typescript/src/index.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import {
  startFaultyProxy,
  type Fault,
  type FaultyProxy,
} from '../../support/clients/faulty-proxy.ts';

let app: TestApp;
let proxy: FaultyProxy;
let client: Fanfare;
let account: string;
beforeAll(async () => {
  app = await startApp();
  proxy = await startFaultyProxy(app.url);
  client = new Fanfare({ url: proxy.url, apiKey: app.tenant.key });
  account = (await app.tenant.connectSandbox('ada')).id;
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await app.stop();
});

const isPath = (method: string, start: string) => (request: { method: string; path: string }) =>
  request.method === method && request.path.startsWith(start);

/** The idempotency keys of the requests that the call made. */
async function keysOf(method: string, start: string, call: () => Promise<unknown>) {
  const before = proxy.requests.length;
  await call();
  return proxy.requests
    .slice(before)
    .filter(isPath(method, start))
    .map(({ headers }) => headers['idempotency-key']);
}

const postsWith = async (caption: string) => {
  const found: Post[] = [];
  for await (const post of client.posts.list()) if (post.caption === caption) found.push(post);
  return found;
};

test('a post whose answers are lost is created once, with one key for all tries', async () => {
  const lost: Fault[] = ['lose', 'cut', { status: 503 }, { status: 502, body: 'proxy' }];
  proxy.plan(isPath('POST', '/v1/posts'), lost);
  const post = { caption: 'created once', account_ids: [account] };
  const keys = await keysOf('POST', '/v1/posts', () => client.posts.create(post));
  expect(keys).toHaveLength(5);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^auto_[0-9a-f-]{36}$/);
  expect(await postsWith(post.caption)).toHaveLength(1);
});

test('a wrong wait is refused before anything is sent', async () => {
  for (const wait of ['soon', '0'] as never[]) {
    const writing = client.posts.create({ caption: 'not sent', account_ids: [account] }, { wait });
    await expect(writing).rejects.toMatchObject({ code: 'configuration' });
  }
  expect(await postsWith('not sent')).toEqual([]);
});

test('a post whose wait fails is returned as it was written, so that nobody writes it again', async () => {
  proxy.plan(isPath('GET', '/v1/posts/'), [{ status: 500 }]);
  const platform_posts = [{ account_id: account, platform_options: { outcome: 'hang' } }];
  const options = { wait: '5s', maxRetries: 0 } as const;
  const post = await client.posts.create({ caption: 'no answer', platform_posts }, options);
  expect(post).toMatchObject({ id: expect.stringMatching(/^post_/), warnings: [] });
  expect(post.status).toBe('pending');
});

test('a key of the caller is used instead, from the options or the body', async () => {
  const post = { caption: 'own key', account_ids: [account] };
  const options = { idempotencyKey: 'order-1' };
  expect(await keysOf('POST', '/v1/posts', () => client.posts.create(post, options))).toEqual([
    'order-1',
  ]);
  const keyed = { ...post, idempotency_key: 'order-2' };
  expect(await keysOf('POST', '/v1/posts', () => client.posts.create(keyed))).toEqual(['order-2']);
  await client.posts.create(post, options);
  expect(await postsWith(post.caption)).toHaveLength(2);
});

test('the same post in two calls is warned of, although each call has a key', async () => {
  const post = { caption: 'twice', account_ids: [account] };
  expect((await client.posts.create(post)).warnings).toEqual([]);
  expect((await client.posts.create(post)).warnings).toMatchObject([{ code: 'repeated_content' }]);
  const { warnings } = await client.posts.validate(post);
  expect(warnings).toMatchObject([{ code: 'repeated_content' }]);
});

test('Retry-After is waited for, and not more than a minute', async () => {
  const limited = (seconds: string): Fault => ({
    status: 429,
    headers: { 'Retry-After': seconds },
  });
  proxy.plan(isPath('GET', '/v1/limits'), [limited('1')]);
  const startedAt = performance.now();
  await client.limits.get();
  expect(performance.now() - startedAt).toBeGreaterThan(1_000);
  proxy.plan(isPath('GET', '/v1/limits'), [limited('61')]);
  await expect(client.limits.get()).rejects.toMatchObject({ status: 429, retryAfter: 61 });
});

test('a refusal that a repeat would not change is thrown at once', async () => {
  const keys = await keysOf('POST', '/v1/posts', async () => {
    const error = await client.posts.create({ account_ids: ['sa_gone'] }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FanfareError);
    expect(error).toMatchObject({
      code: 'validation_error',
      status: 422,
      isRetriable: false,
      requestId: expect.stringMatching(/^req_/),
      issues: [{ path: 'account_ids[0]' }],
    });
  });
  expect(keys).toHaveLength(1);
  const final: Fault = {
    status: 503,
    body: { error: { code: 'media_not_configured', message: 'No.', is_retriable: false } },
  };
  proxy.plan(isPath('GET', '/v1/limits'), [final]);
  await expect(client.limits.get()).rejects.toMatchObject({ code: 'media_not_configured' });
});

test('an error names a member that an older server does not know', async () => {
  const post = { caption: 'Hi', account_ids: [], dimension: 5 };
  await expect(client.posts.create(post)).rejects.toMatchObject({
    code: 'validation_error',
    isRetriable: false,
    issues: expect.arrayContaining([
      expect.objectContaining({ path: 'dimension', code: 'unknown_field' }),
    ]),
  });
});

test('409 is tried again if the server says that it passes', async () => {
  const error = { code: 'still_running', message: 'Wait.', is_retriable: true };
  proxy.plan(isPath('GET', '/v1/limits'), [{ status: 409, body: { error } }]);
  await client.limits.get();
  proxy.plan(isPath('GET', '/v1/limits'), [
    { status: 409, body: { error: { ...error, code: 'conflict', is_retriable: false } } },
  ]);
  await expect(client.limits.get()).rejects.toMatchObject({ code: 'conflict', status: 409 });
});

test('a deletion whose answer was lost has succeeded', async () => {
  const { id } = await client.posts.create({ caption: 'gone', status: 'draft' });
  proxy.plan(isPath('DELETE', '/v1/posts'), ['lose']);
  expect(await client.posts.delete(id)).toEqual({ isPending: false, stillPublic: 0 });
  await expect(client.posts.delete(id)).rejects.toMatchObject({ code: 'not_found' });
});

test('an edit at a network is asked for once, although its first answer is lost', async () => {
  const account = await app.tenant.connectSandbox('edits');
  const given = { caption: 'Old', account_ids: [account.id] };
  const { id, results } = await client.posts.create(given, { wait: '30s' });
  const path = `/v1/posts/${id}/results/${results[0]!.id}`;
  proxy.plan(isPath('PATCH', path), ['lose']);
  const keys = await keysOf('PATCH', path, async () => {
    const { changes } = await client.posts.updateResult(id, results[0]!.id, { caption: 'New' });
    expect(changes).toHaveLength(1);
  });
  expect(keys).toHaveLength(2);
  expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^auto_/)]));
});

describe('a call ends', () => {
  test('with its last failure, after maxRetries', async () => {
    proxy.plan(isPath('GET', '/v1/limits'), ['cut', 'cut', 'cut']);
    const before = proxy.requests.length;
    const call = client.limits.get({ maxRetries: 1 });
    await expect(call).rejects.toMatchObject({ code: 'connection_failed', status: undefined });
    expect(proxy.requests.length - before).toBe(2);
    proxy.plan(() => false, []);
  });

  test('with `timeout` if no answer arrives in time', async () => {
    // Through the proxy, the request could arrive during the next test.
    const direct = new Fanfare({ url: app.url, apiKey: app.tenant.key });
    const call = direct.limits.get({ timeout: '1ms', maxRetries: 0 });
    await expect(call).rejects.toMatchObject({ code: 'timeout', isRetriable: true });
  });

  test("with the signal's reason, also between two tries", async () => {
    const reason = new Error('enough');
    const aborted = client.limits.get({ signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    const stopping = new AbortController();
    proxy.plan(isPath('GET', '/v1/limits'), [{ status: 503, headers: { 'Retry-After': '30' } }]);
    const before = proxy.requests.length;
    const call = client.limits.get({ signal: stopping.signal });
    await expect.poll(() => proxy.requests.length).toBe(before + 1);
    stopping.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('with `invalid_answer` at a server that is no Fanfare, or redirects', async () => {
    const moved: Fault = { status: 307, headers: { Location: 'https://elsewhere.test/' } };
    const answers: Fault[] = [moved, { status: 404, body: 'none' }, { status: 200 }];
    proxy.plan(isPath('GET', '/v1/limits'), answers);
    for (const status of [307, 404, 200]) {
      const call = client.limits.get();
      await expect(call).rejects.toMatchObject({ code: 'invalid_answer', status });
    }
  });
});
