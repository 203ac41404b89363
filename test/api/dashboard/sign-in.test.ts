// A browser signs in to the dashboard with a key, or with the one-time code of a printed address.
import type { IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createDashboardRoutes } from '../../../api/dashboard/routes.ts';
import { createSignInUrl } from '../../../api/dashboard/sign-in.ts';
import type { Context } from '../../../api/http/context.ts';
import { startApp, useApp } from '../../support/app/app.ts';
import {
  cookieOf,
  sessionRequests,
  withSession,
  type Asked,
} from '../../support/dashboard/session-requests.ts';

const app = useApp({ roles: { api: true, worker: false } });
const { ask, query, makeKey, signIn } = sessionRequests(app);

/** The code of the address that is printed for this key. */
async function printedCode(keyId: string): Promise<string> {
  const url = new URL((await createSignInUrl(app.context, keyId))!);
  return url.hash.slice('#code='.length);
}

/** Sends a request to the routes of the dashboard as if it came from this address, and to the context's public URL. */
function requestHere(
  context: Context,
  {
    method = 'POST',
    remoteAddress = '127.0.0.1',
    body,
    headers,
  }: Asked & { remoteAddress?: string },
): Promise<Response> {
  const url = `${context.publicUrl}/dashboard/session`;
  const init = {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { 'Content-Type': 'application/json', Origin: context.publicUrl, ...headers },
  };
  const req = { socket: { remoteAddress } } as IncomingMessage;
  return Promise.resolve(createDashboardRoutes(context).request(url, init, { req }));
}

describe('signing in', () => {
  test('with a key sets a cookie that no script can read, and keeps only its hash', async () => {
    const answer = await ask('/dashboard/session', { body: { api_key: app.tenant.key } });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^fanfare_session_\d+=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
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

  test('with a revoked key is refused', async () => {
    const { id, key } = await makeKey();
    await app.api.delete(`/v1/api-keys/${id}`);
    const answer = await ask('/dashboard/session', { body: { api_key: key } });
    expect(answer.status).toBe(422);
  });

  test('with an expired key is refused', async () => {
    const { id, key } = await makeKey();
    const { db } = app.context;
    await sql`update api_keys set expires_at = now() where id = ${id}`.execute(db);
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
    const code = await printedCode(id);
    for (const cookie of [code, `code ${code}`, `code%20${code}`]) {
      const name = `fanfare_session_${new URL(app.url).port}`;
      expect((await query(`${name}=${cookie}`)).status, cookie).toBe(401);
    }
    const first = await ask('/dashboard/session', { body: { code } });
    expect(first.status).toBe(204);
    expect((await ask('/dashboard/session', { body: { code } })).status).toBe(422);
    expect((await query(cookieOf(first))).body.data.currentApiKey.apiKey.id).toBe(id);
  });

  test('with a key keeps its newest hundred sessions', async () => {
    const { id, key } = await makeKey();
    const first = await signIn(key);
    for (let i = 0; i < 99; i++) await signIn(key);
    expect((await query(first)).status).toBe(200);
    const last = await signIn(key);
    const { rows } = await sql`select 1 from dashboard_sessions where key_id = ${id}`.execute(
      app.context.db,
    );
    expect(rows).toHaveLength(100);
    expect((await query(last)).status).toBe(200);
  });

  test('and signing out count as requests of the project', async () => {
    await using limited = await startApp({
      roles: { api: true, worker: false },
      env: { FANFARE_RATE_LIMIT_PER_MINUTE: '3' },
    });
    const { signIn: signInThere, ask: askThere } = sessionRequests(limited);
    const cookies = [];
    for (let i = 0; i < 3; i++) cookies.push(await signInThere(limited.tenant.key));
    const body = { api_key: limited.tenant.key };
    expect((await askThere('/dashboard/session', { body })).status).toBe(429);
    const out = { method: 'DELETE', cookie: cookies[0]!, headers: withSession };
    expect((await askThere('/dashboard/session', out)).status).toBe(429);
  });

  test('with a code fails after ten minutes', async () => {
    const { id } = await makeKey();
    const { db } = app.context;
    const code = await printedCode(id);
    const { rows } = await sql<{ s: number }>`
      select extract(epoch from expires_at - created_at)::float8 as s
      from dashboard_sessions where key_id = ${id}`.execute(db);
    expect(rows).toHaveLength(1);
    expect(Math.abs(rows[0]!.s - 600)).toBeLessThan(5);
    await sql`update dashboard_sessions set expires_at = now() where key_id = ${id}`.execute(db);
    expect((await ask('/dashboard/session', { body: { code } })).status).toBe(422);
  });

  test('with a code works only from this machine, and uses the code up only then', async () => {
    const { id } = await makeKey();
    const code = await printedCode(id);
    const far = await requestHere(app.context, { remoteAddress: '192.0.2.7', body: { code } });
    expect(far.status).toBe(422);
    const { error } = (await far.json()) as { error: { issues: { code: string }[] } };
    expect(error.issues.map((issue) => issue.code)).toEqual(['not_local']);
    const near = await requestHere(app.context, {
      remoteAddress: '::ffff:127.0.0.1',
      body: { code },
    });
    expect(near.status).toBe(204);
  });

  test('over https sets a cookie that only this host can set, and counts no other', async () => {
    const secure = { ...app.context, publicUrl: 'https://fanfare.test' };
    const body = { api_key: app.tenant.key };
    const answer = await requestHere(secure, { body });
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-fanfare_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const cookie = cookieOf(answer);
    const headers = (given: string) => ({ ...withSession, Cookie: given });
    const signOut = (given: string) =>
      requestHere(secure, { method: 'DELETE', headers: headers(given) });
    expect((await signOut(cookie.replace('__Host-', ''))).status).toBe(401);
    expect((await signOut(cookie)).status).toBe(204);
  });

  test('by a printed address is offered only where this machine is meant', async () => {
    const { id } = await makeKey();
    const reachable = { ...app.context, publicUrl: 'https://fanfare.test' };
    expect(await createSignInUrl(reachable, id)).toBeUndefined();
  });
});

test('a session ends where the dashboard is turned off', async () => {
  const cookie = await sessionRequests(app).signIn();
  await using off = await startApp({
    roles: { api: true, worker: false },
    env: { FANFARE_DASHBOARD: 'off' },
    database: app.database,
    namespace: app.namespace,
  });
  expect((await sessionRequests(off).query(cookie)).status).toBe(401);
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
