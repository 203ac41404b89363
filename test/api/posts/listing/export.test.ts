// The export of posts as CSV: what it has, and what a slow client or a failure on the way costs.
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { newId } from '../../../../schema/wire/ids.ts';
import { useApp } from '../../../support/app/app.ts';
import { createApi } from '../../../support/app/api.ts';
import { inSeconds } from '../../../support/rows/posts.ts';

const app = useApp({ roles: { api: true, worker: false } });
const patience = { timeout: 15_000, interval: 50 };

type Row = Record<string, string>;

async function download(query = '', key = app.tenant.key) {
  const response = await fetch(`${app.url}/v1/posts.csv${query}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return { response, text: await response.text() };
}

const read = (text: string) => parse(text, { columns: true }) as Row[];

/** Drafts without targets, as a row each. The newest has the last caption. */
async function addDrafts(projectId: string, captions: string[], atOnce = 1_000): Promise<void> {
  const rows = captions.map((caption) => ({
    id: newId('post'),
    project_id: projectId,
    environment: 'production' as const,
    caption,
    status: 'draft' as const,
  }));
  for (let at = 0; at < rows.length; at += atOnce) {
    await app.context.db
      .insertInto('posts')
      .values(rows.slice(at, at + atOnce))
      .execute();
  }
}

describe('GET /v1/posts.csv', () => {
  test('has a row for each post, with CRLF and a header, as a file', async () => {
    const tenant = await app.createTenant('file');
    const account = await tenant.connectSandbox('ada');
    const at = inSeconds(7_200);
    const post = await tenant.createPost({
      caption: 'Hello, "world"\nüber alles',
      account_ids: [account.id],
      scheduled_at: at,
      labels: ['spring sale', 'b'],
      metadata: { campaign: 'x' },
    });
    const { response, text } = await download('', tenant.key);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="posts.csv"');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(text.split('\r\n')).toHaveLength(3);
    expect(read(text)).toEqual([
      {
        id: post.id,
        status: 'scheduled',
        caption: 'Hello, "world"\nüber alles',
        labels: 'spring sale;b',
        account_ids: account.id,
        platforms: 'sandbox',
        scheduled_at: at,
        publish_by: '',
        published_at: '',
        created_at: post.created_at,
        created_by: 'first key',
        media_urls: '',
        urls: '',
        error_codes: '',
        metadata: '{"campaign":"x"}',
      },
    ]);
  });

  test('shows no cell as a formula', async () => {
    const tenant = await app.createTenant('formulas');
    const captions = ['=1+1', '+1', '-1', '@ada', '\tx', '\rx', '=a,"b"', 'a=1', "'x"];
    await addDrafts(tenant.projectId, captions);
    const { text } = await download('', tenant.key);
    const shown = read(text).map(({ caption }) => caption);
    expect(shown.toReversed()).toEqual([
      ...captions.slice(0, 7).map((caption) => `'${caption}`),
      'a=1',
      "'x",
    ]);
    expect(text).toContain(`"'=a,""b"""`);
  });

  test('has all posts in their order, over pages, and only those that match the filters', async () => {
    const tenant = await app.createTenant('pages');
    const captions = Array.from({ length: 1_250 }, (_, i) => `draft ${i}`);
    await addDrafts(tenant.projectId, captions);
    await sql`update posts set status = 'canceled'
      where project_id = ${tenant.projectId} and caption like '%7'`.execute(app.context.db);
    const all = read((await download('', tenant.key)).text).map(({ caption }) => caption);
    expect(all).toEqual(captions.toReversed());
    const some = read((await download('?status=canceled', tenant.key)).text);
    expect(some.map(({ caption }) => caption)).toEqual(
      captions.filter((caption) => caption.endsWith('7')).toReversed(),
    );
    const none = await download('?status=failed', tenant.key);
    expect(none.text).toMatch(/^id,status,caption,[\w,]+\r\n$/);
  });

  test('takes the order of the list', async () => {
    const tenant = await app.createTenant('order');
    await addDrafts(tenant.projectId, ['a', 'b', 'c']);
    await sql`update posts set scheduled_at = now() + case caption when 'a' then interval '2 h'
      when 'b' then interval '1 h' else interval '3 h' end
      where project_id = ${tenant.projectId}`.execute(app.context.db);
    const { text } = await download('?order=scheduled_at', tenant.key);
    expect(read(text).map(({ caption }) => caption)).toEqual(['b', 'a', 'c']);
  });

  test.each([
    ['?limit=5', 'limit', 'unknown_parameter'],
    ['?cursor=x', 'cursor', 'unknown_parameter'],
    ['?include=total_count', 'include', 'unknown_parameter'],
    ['?from=tomorrow', 'from', 'invalid_format'],
    ['?status=gone', 'status', 'invalid_value'],
  ])('refuses %s as JSON', async (query, path, code) => {
    const { response, text } = await download(query);
    expect(response.status).toBe(422);
    expect(JSON.parse(text).error.issues).toMatchObject([{ path, code }]);
  });

  test('shows a key no posts of another project, and a test key none of production', async () => {
    const [owner, other] = [await app.createTenant('owner'), await app.createTenant('other')];
    await addDrafts(owner.projectId, ['mine']);
    expect(read((await download('', other.key)).text)).toEqual([]);
    const name = 'test';
    const ofTest = (await owner.api.post('/v1/api-keys', { name, environment: 'test' })).body.data;
    expect(read((await download('', ofTest.key)).text)).toEqual([]);
    expect(read((await download('', owner.key)).text)).toHaveLength(1);
  });

  test('needs the scope posts:read', async () => {
    const { data } = (await app.api.post('/v1/api-keys', { name: 'w', scopes: ['posts:write'] }))
      .body;
    expect((await createApi(app.url, data.key).get('/v1/posts.csv')).status).toBe(403);
  });
});

describe('a client that reads slowly', () => {
  /** Pages of 1 MB each: a few of them fill the buffers of a socket. */
  const pages = 20;

  async function addLargePosts(): Promise<{ projectId: string; key: string }> {
    const tenant = await app.createTenant('large');
    const caption = 'x'.repeat(100_000);
    await addDrafts(
      tenant.projectId,
      Array.from({ length: pages * 10 }, () => caption),
      20,
    );
    return tenant;
  }

  function open(key: string) {
    const { hostname, port } = new URL(app.url);
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.write(
      `GET /v1/posts.csv HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    return socket;
  }

  test('gets later pages as they are when it reads them, and holds no connection of the database', async () => {
    const { projectId, key } = await addLargePosts();
    const socket = open(key);
    await once(socket, 'readable');
    await vi.waitFor(() => {
      const { total, idle } = app.context.pool();
      expect(total - idle).toBe(0);
    }, patience);
    const { db } = app.context;
    await db.deleteFrom('posts').where('project_id', '=', projectId).execute();
    let bytes = 0;
    let end = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      bytes += chunk.length;
      end = `${end}${chunk}`.slice(-5);
    });
    await vi.waitFor(() => expect(end).toBe('0\r\n\r\n'), patience);
    socket.destroy();
    // Without waiting for the client, all 20 MB would have been read before the posts were deleted.
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(pages * 700_000);
  });

  test('gets a cut connection, not a shorter file, if the database fails on the way', async () => {
    const { projectId, key } = await addLargePosts();
    const socket = open(key);
    await once(socket, 'readable');
    // The page that is being read may still be sound.
    await sql`update posts set media = '"broken"' where project_id = ${projectId}`.execute(
      app.context.db,
    );
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    await once(socket, 'close');
    expect(text.length).toBeGreaterThan(100_000);
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
  });
});
