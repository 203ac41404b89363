// The endpoint `/mcp`: who may call it, its limits, revoked keys, restarts, and many calls that wait.
import { describe, expect, test } from 'vitest';
import { startApp, useApp } from '../../support/app/app.ts';
import { connectMcp } from '../../support/mcp/client.ts';
import { createTestDatabase } from '../../support/rows/database.ts';
import { inSeconds } from '../../support/rows/posts.ts';
import { createTestNamespace } from '../../support/servers/temporal.ts';

const allowed = 'https://agents.example.com';
const app = useApp({ env: { FANFARE_CORS_ORIGINS: allowed, FANFARE_DATABASE_CONNECTIONS: '4' } });

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const send = (
  headers: Record<string, string>,
  body: string = JSON.stringify(list),
  signal: AbortSignal | null = null,
) =>
  fetch(`${app.url}/mcp`, {
    method: 'POST',
    signal,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
const own = () => ({ Authorization: `Bearer ${app.tenant.key}` });
const draftOf = (caption: string, account_ids: string[]) => ({ caption, account_ids });

describe('a request', () => {
  test.each([{}, { Authorization: 'Bearer fan_live_wrong' }])(
    'without a valid key gets 401 and how to authenticate: %j',
    async (headers) => {
      const response = await send(headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="fanfare"');
      expect(await response.json()).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { data: { code: 'unauthorized' } },
      });
    },
  );

  test('of a page of a foreign origin gets 403, also with a valid key', async () => {
    for (const Origin of ['https://evil.example.com', 'null', 'http://127.0.0.1:1']) {
      const response = await send({ ...own(), Origin });
      expect(response.status, Origin).toBe(403);
      const error = { data: { code: 'origin_not_allowed' } };
      expect(await response.json(), Origin).toMatchObject({ error });
    }
    for (const Origin of [allowed, new URL(app.url).origin]) {
      expect((await send({ ...own(), Origin })).status, Origin).toBe(200);
    }
  });

  test('of an allowed page may be preceded by a preflight', async () => {
    const headers = { Origin: allowed, 'Access-Control-Request-Method': 'POST' };
    const response = await fetch(`${app.url}/mcp`, { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(allowed);
  });

  test('that opens a stream or ends a session gets 405, since there are no sessions', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${app.url}/mcp`, { method, headers: own() });
      expect(response.status, method).toBe(405);
    }
    expect((await fetch(`${app.url}/mcp/other`, { headers: own() })).status).toBe(404);
  });

  test.each([
    ['no JSON', 'nonsense', 400],
    ['too many values', JSON.stringify(Array.from({ length: 20_000 }, () => 1)), 413],
    ['a batch, which MCP no longer has', JSON.stringify([list, list]), 422],
    ['more than 4 MiB', JSON.stringify({ ...list, params: { a: 'a'.repeat(5_000_000) } }), 413],
  ])('with %s is refused', async (_, body, status) => {
    const response = await send(own(), body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { data: { code: expect.any(String) } } });
  });
});

test('arguments of 1 MB are refused by the limit of a body', async () => {
  await using agent = await connectMcp(app.url, app.tenant.key);
  const { isError, body } = await agent.call('create_draft', { caption: 'a'.repeat(1_048_576) });
  expect({ isError, ...body.error }).toMatchObject({
    isError: true,
    code: 'payload_too_large',
    limit: 524_288,
    next_action: expect.stringContaining('Send less'),
  });
});

test('a key that is revoked during a session ends it', async () => {
  const { data } = (await app.api.post('/v1/api-keys', { name: 'k' })).body;
  await using agent = await connectMcp(app.url, data.key);
  expect(await agent.get('list_accounts')).toEqual(expect.any(Array));
  expect((await app.api.delete(`/v1/api-keys/${data.id}`)).status).toBe(204);
  await expect(agent.call('list_accounts')).rejects.toThrow(/401|unauthorized/i);
});

test('a script that repeats every call three times, with a restart between, publishes once', async () => {
  const [database, namespace] = [await createTestDatabase(), await createTestNamespace()];
  const start = () => startApp({ database, namespace });
  let running = await start();
  const { key } = running.tenant;
  const account = (await running.tenant.connectSandbox('once')).id;
  const repeat = async (name: string, args: Record<string, unknown>) => {
    const answers = [];
    for (let times = 0; times < 3; times++) {
      if (times === 2) {
        await running.stop();
        running = await start();
      }
      await using agent = await connectMcp(running.url, key);
      answers.push(await agent.call(name, args));
    }
    expect(answers.map(({ body }) => body.replayed ?? false)).toEqual([false, true, true]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    return answers[0]!.body.data;
  };
  try {
    const { id: post_id } = await repeat('create_draft', draftOf('only once', [account]));
    await repeat('publish_post', { post_id });
    await using agent = await connectMcp(running.url, key);
    expect((await agent.call('wait_for_post', { post_id })).body.data.status).toBe('published');
    const { db } = running.context;
    const shown = await db.selectFrom('sandbox_posts').select('caption').execute();
    expect(shown).toEqual([{ caption: 'only once' }]);
    expect(await agent.get('list_posts')).toHaveLength(1);
  } finally {
    await running.stop();
    await namespace.close();
    await database.drop();
  }
}, 60_000);

describe('the rate limit', () => {
  const limited = useApp({ env: { FANFARE_RATE_LIMIT_PER_MINUTE: '6' } });

  test('counts each call once: one that waits, and one that no tool takes', async () => {
    const { key } = await limited.createTenant('counted');
    const headers = { Authorization: `Bearer ${key}` };
    const left = async () => {
      const { headers: shown } = await fetch(`${limited.url}/v1/limits`, { headers });
      return Number(shown.get('RateLimit-Remaining'));
    };
    const ask = (method: string, params: object) =>
      fetch(`${limited.url}/mcp`, {
        method: 'POST',
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ ...list, method, params }),
      });
    const before = await left();
    const draft = { name: 'create_draft', arguments: { caption: 'waits' } };
    const created = await ask('tools/call', draft);
    const [, post_id] = /(post_\w+)/.exec(await created.text())!;
    await ask('tools/call', { name: 'wait_for_post', arguments: { post_id } });
    await ask('tools/call', { name: 'nope', arguments: {} });
    await ask('tools/list', {});
    // With this reading. Less than a token came back meanwhile.
    expect(before - (await left())).toBe(5);
  });
});

describe('calls that wait', () => {
  test('are at most ten for a project, hold no connection, and delay no other tenant', async () => {
    const account = (await app.tenant.connectSandbox('slow')).id;
    await using agent = await connectMcp(app.url, app.tenant.key);
    const { id: post_id } = await agent.get('create_draft', draftOf('waits', [account]));
    await agent.get('schedule_post', { post_id, scheduled_at: inSeconds(3_600) });
    const answers = Array.from({ length: 40 }, () =>
      agent.call('wait_for_post', { post_id, timeout_s: 10 }),
    );
    let endedWaits = 0;
    for (const answer of answers) {
      void answer.then(({ body }) => (endedWaits += body.has_ended === false ? 1 : 0));
    }
    const other = await app.createTenant('other');
    await using stranger = await connectMcp(app.url, other.key);
    await Promise.all(Array.from({ length: 20 }, () => stranger.get('list_accounts')));
    expect(endedWaits).toBe(0);
    const ended = await Promise.all(answers);
    expect(ended.filter(({ body }) => body.has_ended === false)).toHaveLength(10);
    expect(ended.filter(({ body }) => body.error?.code === 'rate_limited')).toHaveLength(30);
    expect((await agent.call('wait_for_post', { post_id, timeout_s: 1 })).isError).toBe(false);
  });

  test('end when their clients go away', async () => {
    const account = (await app.tenant.connectSandbox('gone')).id;
    await using agent = await connectMcp(app.url, app.tenant.key);
    const { id: post_id } = await agent.get('create_draft', draftOf('left', [account]));
    await agent.get('schedule_post', { post_id, scheduled_at: inSeconds(3_600) });
    const refused = async () =>
      (await agent.call('wait_for_post', { post_id, timeout_s: 1 })).body.error?.code;
    const params = { name: 'wait_for_post', arguments: { post_id } };
    const body = JSON.stringify({ ...list, method: 'tools/call', params });
    const leaving = new AbortController();
    const waits = Array.from({ length: 10 }, () => send(own(), body, leaving.signal));
    const ended = Promise.allSettled(waits.map(async (wait) => (await wait).text()));
    await expect.poll(refused, { timeout: 10_000 }).toBe('rate_limited');
    leaving.abort();
    await ended;
    await expect.poll(refused, { timeout: 10_000 }).toBeUndefined();
  });

  test('end when the server stops', async () => {
    await using stopping = await startApp();
    const account = (await stopping.tenant.connectSandbox('ada')).id;
    const agent = await connectMcp(stopping.url, stopping.tenant.key);
    const { id: post_id } = await agent.get('create_draft', draftOf('waits', [account]));
    await agent.get('schedule_post', { post_id, scheduled_at: inSeconds(3_600) });
    const waits = Array.from({ length: 10 }, () => agent.call('wait_for_post', { post_id }));
    // Refused only once the ten calls wait.
    const one = { post_id, timeout_s: 1 };
    await expect
      .poll(async () => (await agent.call('wait_for_post', one)).body.error?.code, {
        timeout: 10_000,
      })
      .toBe('rate_limited');
    await stopping.stop();
    const answers = await Promise.all(waits);
    // One of them may have been refused in favor of the call of the poll.
    const ended = answers.filter(({ body }) => body.has_ended === false);
    expect(ended.length).toBeGreaterThanOrEqual(9);
  });
});
