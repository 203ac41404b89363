// Images and videos at the sandbox, in its API, on its pages and as files.
import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestSandbox, type TestSandbox } from '../../support/app/sandbox.ts';
import { formOf } from '../../support/networks/connection.ts';
import { useDatabase } from '../../support/rows/database.ts';

let sandbox: TestSandbox;

const database = useDatabase();
beforeAll(() => {
  sandbox = createTestSandbox(database.db);
});

interface Call {
  handle?: string;
  method?: string;
  json?: object;
  body?: Buffer;
  headers?: Record<string, string>;
}

interface Answer {
  status: number;
  body: Record<string, unknown> & { error?: { code: string; message: string } };
}

async function call(path: string, { handle = 'ada', json, ...init }: Call = {}): Promise<Answer> {
  const login = formOf(sandbox.platform).run({ handle }, AbortSignal.timeout(5_000));
  const { credentials } = await login;
  const response = await sandbox.request(`/sandbox/api/${path}`, {
    ...(json && { method: 'POST', body: JSON.stringify(json) }),
    ...init,
    headers: { Authorization: `Bearer ${credentials['access_token']}`, ...init.headers },
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const errorOf = ({ status, body }: Answer) => [status, body.error?.code];

async function create(more: object = {}): Promise<string> {
  const json = { content_type: 'image/png', bytes: 10, ...more };
  const { status, body } = await call('media', { json });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    bytes: json.bytes,
    received_bytes: 0,
    is_complete: false,
  });
  return body['id'] as string;
}

interface Part {
  range: string;
  body?: Buffer;
  length?: string;
  handle?: string;
}

function put(id: string, { range, body = Buffer.alloc(0), length, handle }: Part): Promise<Answer> {
  return call(`media/${id}`, {
    method: 'PUT',
    body,
    headers: { 'Content-Range': range, 'Content-Length': length ?? String(body.length) },
    ...(handle !== undefined && { handle }),
  });
}

const bytes = randomBytes(2_500_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');

async function upload(more: object = {}): Promise<string> {
  const id = await create({ bytes: bytes.length, sha256, ...more });
  const range = `bytes 0-${bytes.length - 1}/${bytes.length}`;
  expect((await put(id, { range, body: bytes })).body).toMatchObject({ is_complete: true });
  return id;
}

describe('POST /sandbox/api/media', () => {
  test.each([
    {},
    { content_type: 'image/svg+xml', bytes: 1 },
    { content_type: 'text/html', bytes: 1 },
    { content_type: 'image/png', bytes: 0 },
    { content_type: 'image/png', bytes: 1.5 },
    { content_type: 'image/png', bytes: 536_870_913 },
    { content_type: 'image/png', bytes: 1, sha256: 'abc' },
    { content_type: 'image/png', bytes: 1, sha256: sha256.toUpperCase() },
    { content_type: 'image/png', bytes: 1, alt_text: 'a\0b' },
    { content_type: 'image/png', bytes: 1, alt_text: 'a'.repeat(2_001) },
    { content_type: 'image/png', bytes: 1, url: 'https://media.test/a.png' },
  ])('refuses %j', async (json) => {
    expect(errorOf(await call('media', { json }))).toEqual([422, 'invalid_request']);
  });

  test('needs a token', async () => {
    const init = { method: 'POST', body: '{}' };
    expect((await sandbox.request('/sandbox/api/media', init)).status).toBe(401);
    const part = { method: 'PUT', body: 'x' };
    expect((await sandbox.request('/sandbox/api/media/0', part)).status).toBe(401);
  });
});

describe('PUT /sandbox/api/media/:id', () => {
  test('appends parts, and reports what it has received', async () => {
    const id = await create();
    const ask = { range: 'bytes */10' };
    expect(await put(id, ask)).toMatchObject({ status: 200, body: { received_bytes: 0 } });
    const first = { range: 'bytes 0-3/10', body: Buffer.from('abcd') };
    const received = { id, bytes: 10, received_bytes: 4, is_complete: false };
    expect(await put(id, first)).toEqual({ status: 200, body: received });
    expect(await put(id, ask)).toEqual({ status: 200, body: received });
    expect(errorOf(await put(id, first))).toEqual([409, 'wrong_offset']);
    const gap = { range: 'bytes 5-9/10', body: Buffer.from('fghij') };
    expect(errorOf(await put(id, gap))).toEqual([409, 'wrong_offset']);
    const last = { range: 'bytes 4-9/10', body: Buffer.from('efghij') };
    const complete = { ...received, received_bytes: 10, is_complete: true };
    expect((await put(id, last)).body).toEqual(complete);
    expect((await put(id, ask)).body).toEqual(complete);
    expect(await (await sandbox.request(`/sandbox/media/${id}`)).text()).toBe('abcdefghij');
  });

  test.each([
    { range: '' },
    { range: 'bytes 0-3' },
    { range: 'bytes 0-3/*' },
    { range: 'bytes 0-3/11' },
    { range: 'bytes */11' },
    { range: 'bytes 4-3/10' },
    { range: 'bytes 0-10/10', body: Buffer.alloc(11) },
    { range: 'bytes 0-3/10', body: Buffer.alloc(5) },
    { range: 'bytes 0-3/10', length: 'many' },
  ])('refuses $range with $body.length bytes', async (part) => {
    const id = await create();
    const answer = await put(id, { body: Buffer.alloc(4), ...part });
    expect(errorOf(answer)).toEqual([400, 'invalid_range']);
    expect((await put(id, { range: 'bytes */10' })).body).toMatchObject({ received_bytes: 0 });
  });

  test('refuses a part over 8 MiB', async () => {
    const id = await create({ bytes: 9_000_000 });
    const body = Buffer.alloc(8_388_609);
    const answer = await put(id, { range: 'bytes 0-8388608/9000000', body });
    expect(errorOf(answer)).toEqual([400, 'invalid_range']);
  });

  test('accepts one of two parts that arrive at once', async () => {
    const id = await create();
    const part = { range: 'bytes 0-9/10', body: Buffer.from('abcdefghij') };
    const answers = await Promise.all([put(id, part), put(id, part)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  test("knows none of another handle's media", async () => {
    const id = await create();
    const ask = { range: 'bytes */10', handle: 'bob' };
    expect(errorOf(await put(id, ask))).toEqual([404, 'unknown_media']);
    expect(errorOf(await put('0', ask))).toEqual([404, 'unknown_media']);
    expect(errorOf(await put('%00', ask))).toEqual([404, 'unknown_media']);
  });

  test('drops a file with another hash than the declared one', async () => {
    const id = await create({ sha256 });
    const part = { range: 'bytes 0-9/10', body: Buffer.from('abcdefghij') };
    expect(errorOf(await put(id, part))).toEqual([422, 'wrong_sha256']);
    expect(errorOf(await put(id, { range: 'bytes */10' }))).toEqual([404, 'unknown_media']);
  });

  test('stores rows of at most 256 KiB', async () => {
    const id = await upload();
    const rows = await database.db
      .selectFrom('sandbox_media_parts')
      .select(['start_byte', 'bytes'])
      .where('media_id', '=', id)
      .orderBy('start_byte')
      .execute();
    expect(rows.map((row) => [row.start_byte, row.bytes.length])).toEqual([
      ...Array.from({ length: 9 }, (_, i) => [i * 262_144, 262_144]),
      [2_359_296, 140_704],
    ]);
    expect(Buffer.concat(rows.map((row) => row.bytes)).equals(bytes)).toBe(true);
  });
});

describe('POST /sandbox/api/posts', () => {
  const post = (media: unknown, handle = 'ada') =>
    call('posts', { handle, json: { caption: 'look', media } });

  test('accepts complete media of its handle', async () => {
    const ids = [await upload(), await upload()];
    expect(await post(ids)).toMatchObject({ status: 201, body: { media: ids } });
    expect(errorOf(await post(ids, 'bob'))).toEqual([422, 'unknown_media']);
    expect(errorOf(await post([ids[0], '0']))).toEqual([422, 'unknown_media']);
    expect(errorOf(await post([ids[0], await create()]))).toEqual([422, 'incomplete_media']);
  });

  test.each([[['a', 'a']], [['%']], [['a', 'b', 'c', 'd', 'e']], ['a'], [[7]]])(
    'refuses %j',
    async (media) => {
      expect(errorOf(await post(media))).toEqual([422, 'invalid_request']);
    },
  );
});

describe('GET /sandbox/media/:id', () => {
  const get = async (id: string, headers: Record<string, string> = {}) => {
    const response = await sandbox.request(`/sandbox/media/${id}`, { headers });
    return { response, body: Buffer.from(await response.arrayBuffer()) };
  };

  test('serves the file with its type, to be cached', async () => {
    const id = await upload({ content_type: 'video/mp4' });
    const { response, body } = await get(id);
    expect(response.status).toBe(200);
    expect(body.equals(bytes)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=604800, immutable',
      etag: `"${id}"`,
    });
    const again = await get(id, { 'If-None-Match': `"${id}"` });
    expect([again.response.status, again.body.length]).toEqual([304, 0]);
    const head = await sandbox.request(`/sandbox/media/${id}`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
  });

  let shared: Promise<string> | undefined;
  const uploadOnce = () => (shared ??= upload());

  const last = bytes.length - 1;
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, last],
    ['bytes=1048570-1048580', 1_048_570, 1_048_580],
    [`bytes=${last}-`, last, last],
    ['bytes=-3', last - 2, last],
    ['bytes=-9999999', 0, last],
    ['bytes=5-9999999', 5, last],
  ])('serves the range %s', async (range, start, end) => {
    const { response, body } = await get(await uploadOnce(), { Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${bytes.length}`);
    expect(response.headers.get('content-length')).toBe(String(end - start + 1));
    expect(body.equals(bytes.subarray(start, end + 1))).toBe(true);
  });

  test.each(['bytes=2500000-', 'bytes=2500000-2500001', 'bytes=-0'])(
    'has no bytes in the range %s',
    async (range) => {
      const { response } = await get(await uploadOnce(), { Range: range });
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe('bytes */2500000');
    },
  );

  test.each(['bytes=3-2', 'bytes=-', 'bytes=0-1,3-4', 'rows=0-1'])(
    'serves everything for the range %s',
    async (range) => {
      const { response, body } = await get(await uploadOnce(), { Range: range });
      expect([response.status, body.length]).toEqual([200, bytes.length]);
    },
  );

  test('serves everything if the range is of another file', async () => {
    const id = await uploadOnce();
    const headers = { Range: 'bytes=0-0', 'If-Range': '"other"' };
    expect((await get(id, headers)).response.status).toBe(200);
    expect((await get(id, { ...headers, 'If-Range': `"${id}"` })).response.status).toBe(206);
  });

  test.each(['0', '%00', 'x'.repeat(65)])('knows no media %s', async (id) => {
    expect((await get(id)).response.status).toBe(404);
  });

  test('shows no incomplete file', async () => {
    expect((await get(await create())).response.status).toBe(404);
  });
});

describe('the pages', () => {
  test.each(['/sandbox/posts?handle=carol', '/sandbox/posts/'])(
    'show images and videos with their alt texts: %s',
    async (path) => {
      const handle = 'carol';
      const made: string[] = [];
      for (const json of [
        { content_type: 'image/png', bytes: 1, alt_text: 'A "cat" <3' },
        { content_type: 'image/webp', bytes: 1 },
        { content_type: 'video/mp4', bytes: 1, alt_text: 'A dog' },
      ]) {
        const { body } = await call('media', { handle, json });
        const id = body['id'] as string;
        await put(id, { range: 'bytes 0-0/1', body: Buffer.alloc(1), handle });
        made.push(id);
      }
      const json = { caption: 'look', media: made };
      const { body } = await call('posts', { handle, json });
      await database.db.deleteFrom('sandbox_media').where('id', '=', made[1]!).execute();
      const isList = path.includes('?');
      const response = await sandbox.request(isList ? path : `${path}${String(body['id'])}`);
      const page = await response.text();
      const [image, , video] = made;
      const alt = 'A &quot;cat&quot; &lt;3';
      expect(page).toContain(`<img src="/sandbox/media/${image}" alt="${alt}" loading="lazy" />`);
      expect(page).toContain('Media that the sandbox no longer has');
      expect(page).toContain(`<video src="/sandbox/media/${video}" aria-label="A dog" controls`);
      const policy = response.headers.get('Content-Security-Policy');
      expect(policy).toContain("img-src 'self'; media-src 'self'");
      expect(policy).not.toContain('script-src');
    },
  );
});
