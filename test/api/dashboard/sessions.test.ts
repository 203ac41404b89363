// A browser signs in to the dashboard with a key or a one-time code, and acts with the cookie of its session.
import { sql } from 'kysely';
import { WebSocket } from 'ws';
import { describe, expect, test } from 'vitest';
import { createSignInUrl } from '../../../api/dashboard/sign-in.ts';
import { deleteEnded } from '../../../schema/database/dispatch/pruning.ts';
import { startApp, useApp } from '../../support/app/app.ts';

const corsOrigin = 'https://app.example';
const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_CORS_ORIGINS: corsOrigin },
});

interface Asked {
  method?: string;
  cookie?: string;
  /** Null: none. Default: the server's own. */
  origin?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

function ask(
  path: string,
  { method = 'POST', cookie, origin = app.url, body, headers }: Asked = {},
) {
  return fetch(`${app.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: {
      'Content-Type': 'application/json',
      ...(cookie !== undefined && { Cookie: cookie }),
      ...(origin !== null && { Origin: origin }),
      ...headers,
    },
  });
}

const withSession = { 'X-Fanfare-Session': '1' };
const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]!.split(';', 1)[0]!;

async function signIn(key: string = app.tenant.key): Promise<string> {
  const answer = await ask('/dashboard/session', { body: { api_key: key } });
  expect(answer.status).toBe(204);
  return cookieOf(answer);
}

interface QueryBody {
  data: { currentApiKey: { apiKey: { id: string } } };
  errors: { extensions: { code: string } }[];
}

async function query(cookie: string, asked: Asked = {}) {
  const body = { query: '{ currentApiKey { apiKey { id name } } }' };
  const answer = await ask('/graphql', { body, cookie, headers: withSession, ...asked });
  return { status: answer.status, body: (await answer.json()) as QueryBody };
}

async function makeKey(extra: object = {}): Promise<{ id: string; key: string }> {
  const { body } = await app.api.post('/v1/api-keys', { name: 'brief', ...extra });
  return body.data;
}

describe('signing in', () => {
  test('with a key sets a cookie that no script can read, and keeps only its hash', async () => {
    const answer = await ask('/dashboard/session', { body: { api_key: app.tenant.key } });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^fanfare_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const token = cookieOf(answer).split('=')[1]!;
    const { rows } = await sql`select * from dashboard_sessions`.execute(app.context.db);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(app.tenant.key);
  });

  test.each([
    ['an unknown key', { api_key: 'sk_unknown_0123456789' }, 'api_key'],
    ['an unknown code', { code: 'nothing' }, 'code'],
    ['both', { api_key: 'a', code: 'b' }, 'api_key'],
    ['nothing', {}, 'api_key'],
  ])('with %s is refused', async (_, body, path) => {
    const answer = await ask('/dashboard/session', { body });
    expect(answer.status).toBe(422);
    const { error } = (await answer.json()) as { error: { issues: { path: string }[] } };
    expect(error.issues.map((issue) => issue.path)).toContain(path);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('with a revoked or expired key is refused', async () => {
    const { id, key } = await makeKey();
    await app.api.delete(`/v1/api-keys/${id}`);
    const answer = await ask('/dashboard/session', { body: { api_key: key } });
    expect(answer.status).toBe(422);
  });

  test.each([['https://evil.test'], [null], ['null']])(
    'from the origin %s is refused',
    async (origin) => {
      const answer = await ask('/dashboard/session', { origin, body: { api_key: app.tenant.key } });
      expect(answer.status).toBe(401);
      expect(answer.headers.getSetCookie()).toEqual([]);
    },
  );

  test('with a code works once, and the code is no cookie', async () => {
    const { id } = await makeKey();
    const code = new URL((await createSignInUrl(app.context, id))!).hash.slice('#code='.length);
    expect((await query(`fanfare_session=${code}`)).status).toBe(401);
    const first = await ask('/dashboard/session', { body: { code } });
    expect(first.status).toBe(204);
    expect((await ask('/dashboard/session', { body: { code } })).status).toBe(422);
    expect((await query(cookieOf(first))).body.data.currentApiKey.apiKey.id).toBe(id);
  });

  test('with a code fails after ten minutes', async () => {
    const { id } = await makeKey();
    const code = new URL((await createSignInUrl(app.context, id))!).hash.slice('#code='.length);
    const { rows } = await sql<{ s: number }>`
      update dashboard_sessions set expires_at = now() where key_id = ${id}
      returning extract(epoch from expires_at - created_at)::float8 as s`.execute(app.context.db);
    expect(rows).toHaveLength(1);
    expect((await ask('/dashboard/session', { body: { code } })).status).toBe(422);
  });

  test('by a printed address is offered only where this machine is meant', async () => {
    const { id } = await makeKey();
    const reachable = { ...app.context, publicUrl: 'https://fanfare.test' };
    expect(await createSignInUrl(reachable, id)).toBeUndefined();
  });
});

describe('a session', () => {
  test('has the scopes and the project of its key, over GraphQL and REST', async () => {
    const { id, key } = await makeKey({ scopes: ['accounts:read'] });
    const cookie = await signIn(key);
    expect((await query(cookie)).body.data.currentApiKey.apiKey.id).toBe(id);
    const post = await ask('/v1/posts', { cookie, headers: withSession, body: { caption: 'a' } });
    expect(post.status).toBe(403);
  });

  test.each([
    ['another origin', { origin: 'https://evil.test' }],
    ['a CORS origin', { origin: corsOrigin }],
    ['no origin', { origin: null }],
  ])('does not count for a request from %s', async (_, asked) => {
    const { status, body } = await query(await signIn(), asked);
    expect(status).toBe(401);
    expect(body.errors[0]?.extensions.code).toBe('unauthorized');
  });

  test.each([['https://evil.test'], [corsOrigin], [null]])(
    'counts neither over REST nor for a stream nor to sign out, if the origin is %s',
    async (origin) => {
      const cookie = await signIn();
      const asked = { cookie, origin, headers: withSession };
      expect((await ask('/v1/posts', { ...asked, method: 'GET' })).status).toBe(401);
      const body = { query: 'subscription { postUpdated { cursor } }' };
      const headers = { ...withSession, Accept: 'text/event-stream' };
      const stream = await ask('/graphql', { ...asked, headers, body });
      expect(await stream.text()).toContain('unauthorized');
      expect((await ask('/dashboard/session', { ...asked, method: 'DELETE' })).status).toBe(401);
      expect((await query(cookie)).status).toBe(200);
    },
  );

  test('does not count without its header, so a form of another page can do nothing', async () => {
    const { body } = await query(await signIn(), { headers: {} });
    expect(body.errors[0]?.extensions.code).toBe('unauthorized');
  });

  test('ends with its key', async () => {
    const { id, key } = await makeKey();
    const cookie = await signIn(key);
    await app.api.delete(`/v1/api-keys/${id}`);
    expect((await query(cookie)).status).toBe(401);
  });

  test('ends when the browser signs out, in every tab', async () => {
    const cookie = await signIn();
    const other = await signIn();
    const socket = openSocket(cookie);
    expect(await socket.acknowledged).toBe(true);
    const out = await ask('/dashboard/session', { method: 'DELETE', cookie, headers: withSession });
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()[0]).toMatch(/^fanfare_session=; Max-Age=0;/);
    expect((await query(cookie)).status).toBe(401);
    expect(await socket.closed).toBe(4401);
    expect((await query(other)).status).toBe(200);
  });

  test('is deleted after its end', async () => {
    await signIn();
    const { db } = app.context;
    await sql`update dashboard_sessions set expires_at = now() - interval '1 s'`.execute(db);
    await deleteEnded(db, 'dashboard_sessions', new Date(), 100);
    const { rows } = await sql`select from dashboard_sessions`.execute(db);
    expect(rows).toEqual([]);
  });
});

describe('a socket', () => {
  test('opens with the session of the page that asks for it', async () => {
    const socket = openSocket(await signIn());
    expect(await socket.acknowledged).toBe(true);
    socket.close();
  });

  test.each([
    ['a page of another origin', { origin: 'https://evil.test' }],
    ['a client without an origin', {}],
    ['a page that does not ask for the session', { origin: undefined, params: {} }],
  ])('is refused to %s', async (_, options) => {
    const socket = openSocket(await signIn(), { origin: '', ...options });
    expect(await socket.closed).toBe(4401);
  });
});

test('without the dashboard, there is neither a page nor a sign-in', async () => {
  await using off = await startApp({
    roles: { api: true, worker: false },
    env: { FANFARE_DASHBOARD: 'off' },
  });
  expect((await fetch(`${off.url}/dashboard`)).status).toBe(404);
  const body = JSON.stringify({ api_key: off.tenant.key });
  const headers = { 'Content-Type': 'application/json', Origin: off.url };
  const answer = await fetch(`${off.url}/dashboard/session`, { method: 'POST', headers, body });
  expect(answer.status).toBe(404);
  expect(await createSignInUrl(off.context, off.tenant.caller.keyId)).toBeUndefined();
});

interface SocketOptions {
  origin?: string | undefined;
  params?: object;
}

function openSocket(cookie: string, { origin, params = { session: true } }: SocketOptions = {}) {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { Cookie: cookie, ...(origin === '' ? {} : { Origin: origin ?? app.url }) },
  });
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: params })),
  );
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const acknowledged = new Promise<boolean>((resolve) => {
    socket.on('message', (data: Buffer) =>
      resolve(JSON.parse(data.toString()).type === 'connection_ack'),
    );
    socket.on('close', () => resolve(false));
  });
  return { closed, acknowledged, close: () => socket.close() };
}
