// What the session of a browser can do in the dashboard, over HTTP and over sockets, and when it ends.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { deleteEnded } from '../../../schema/database/dispatch/pruning.ts';
import { useApp } from '../../support/app/app.ts';
import { sessionRequests, withSession } from '../../support/dashboard/session-requests.ts';

const corsOrigin = 'https://app.example';
const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_CORS_ORIGINS: corsOrigin },
});
const { ask, signIn, query, makeKey, openSocket } = sessionRequests(app);

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
    expect(out.headers.getSetCookie()[0]).toMatch(/^fanfare_session_\d+=; Max-Age=0;/);
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
