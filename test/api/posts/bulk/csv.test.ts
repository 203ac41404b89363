// Posts as a CSV file: how spreadsheets write it, what its cells mean, and where its errors are.
import { beforeAll, describe, expect, test } from 'vitest';
import type { CreatedPost } from '../../../../schema/posts/bulk.ts';
import { type TestAnswer, type TestKey, useRest } from '../../../support/app/rest.ts';
import { inSeconds } from '../../../support/rows/posts.ts';

let mine: TestKey;
let account: string;
let other: string;

const rest = useRest();
beforeAll(async () => {
  mine = await rest.createTenant();
  account = await rest.insertAccount(mine.projectId);
  other = await rest.insertAccount(mine.projectId);
});

interface Sent {
  query?: string;
  headers?: Record<string, string>;
  key?: string;
}

function send(raw: string | Buffer, { query = '', headers, key = mine.key }: Sent = {}) {
  return rest.call('POST', `/v1/posts/bulk${query}`, {
    key,
    raw: typeof raw === 'string' ? raw : new Uint8Array(raw),
    headers: { 'Content-Type': 'text/csv', ...headers },
  });
}

const itemsOf = ({ body }: TestAnswer) => body.data as CreatedPost[];
const statusesOf = (answer: TestAnswer) => itemsOf(answer).map(({ status }) => status);
const captionsOf = (answer: TestAnswer) => itemsOf(answer).map(({ post }) => post?.caption);
const rows = (...lines: string[]) => [`caption,account_ids`, ...lines].join('\r\n');

async function countPosts(): Promise<number> {
  const { data } = (await rest.call('GET', '/v1/posts?limit=100', { key: mine.key })).body;
  return data.length;
}

describe('the cells of a row', () => {
  test('are the fields of a post', async () => {
    const at = inSeconds(7_200);
    const header =
      'caption,account_ids,scheduled_at,publish_by,auto_fit,metadata.campaign,metadata.Owner ID';
    const lists = [`${account} ${other}`, `${account}; ${other}`, `${account};${other};`];
    const answer = await send(
      [header, ...lists.map((ids) => `hello,${ids},${at},,FALSE,spring,7`)].join('\n'),
    );
    expect(statusesOf(answer)).toEqual([201, 201, 201]);
    for (const { post } of itemsOf(answer)) {
      expect(post).toMatchObject({
        caption: 'hello',
        status: 'scheduled',
        scheduled_at: at,
        publish_by: null,
        auto_fit: false,
        metadata: { campaign: 'spring', 'Owner ID': '7' },
        results: [{ social_account_id: account }, { social_account_id: other }],
      });
    }
  });

  test('may be in any order, and empty cells count as left out', async () => {
    const answer = await send(
      `status,metadata.a,account_ids,caption,media_urls\ndraft,,${account},x,https://a.test/1;2.png https://a.test/3.png`,
    );
    expect(itemsOf(answer)[0]!.post).toMatchObject({
      status: 'draft',
      metadata: {},
      media_urls: ['https://a.test/1;2.png', 'https://a.test/3.png'],
    });
  });

  test('may give the time that a clock in a time zone shows', async () => {
    const local = `${inSeconds(30 * 86_400).slice(0, 10)}T09:00`;
    const answer = await send(
      `caption,account_ids,schedule.local,schedule.timezone\nx,${account},${local},Europe/Berlin\ny,${account},${local},Europe/Nowhere`,
    );
    expect(itemsOf(answer)).toMatchObject([
      { status: 201, post: { schedule: { local, timezone: 'Europe/Berlin', adjusted: 'none' } } },
      { status: 422, error: { issues: [{ path: 'rows[3].schedule.timezone' }] } },
    ]);
  });

  test('may have quotes, commas, line breaks and what looks like a formula', async () => {
    const texts = [
      'He said "hi", then left',
      'two\r\nlines',
      '=HYPERLINK("http://x","y")',
      '@ada',
      '-1',
    ];
    const quoted = texts.map((text) => `"${text.replaceAll('"', '""')}",${account}`);
    expect(captionsOf(await send(rows(...quoted)))).toEqual(texts);
  });

  test.each([
    ['a BOM and CRLF', '\ufeffcaption,account_ids\r\n', '\r\n'],
    ['LF', 'caption,account_ids\n', '\n'],
    ['CR', 'caption,account_ids\r', '\r'],
    ['quoted names and spaces', '"caption", account_ids \n', '\n'],
  ])('are read from a file with %s', async (_, header, end) => {
    const answer = await send(`${header}first,${account}${end}second,${account}${end}`);
    expect(captionsOf(answer)).toEqual(['first', 'second']);
  });

  test('are in the same order as the answers, and empty rows count for the numbers only', async () => {
    const answer = await send(rows(`a,${account}`, '', ',', `b,sa_unknown`, `c,${account}`));
    expect(statusesOf(answer)).toEqual([202, 422, 202]);
    expect(itemsOf(answer)[1]!.error!.issues).toMatchObject([
      { path: 'rows[5].account_ids[0]', code: 'unknown_account' },
    ]);
  });
});

describe('a bad row', () => {
  test('of 500 fails alone, and its error names the row and the column', async () => {
    const lines = Array.from({ length: 500 }, (_, i) => `row ${i},${account}`);
    lines[123] = `row 123,${account} sa_nobody`;
    const answer = await send(rows(...lines));
    const statuses = statusesOf(answer);
    expect(statuses).toHaveLength(500);
    expect(statuses.filter((status) => status !== 202)).toEqual([422]);
    const { error } = itemsOf(answer)[123]!;
    expect(error).toMatchObject({
      message: 'rows[125].account_ids[1]: No account has this ID.',
      issues: [{ path: 'rows[125].account_ids[1]', code: 'unknown_account' }],
    });
  }, 60_000);

  test.each([
    ['caption,account_ids,scheduled_at', 'x,ID,tomorrow', 'rows[2].scheduled_at', 'invalid_format'],
    ['caption,account_ids,auto_fit', 'x,ID,maybe', 'rows[2].auto_fit', 'invalid_type'],
    ['caption,account_ids,status', 'x,ID,scheduled', 'rows[2].status', 'invalid_value'],
    ['caption,account_ids', 'x,', 'rows[2].account_ids', 'no_targets'],
    ['caption,account_ids', 'x,ID,more', 'rows[2]', 'wrong_cell_count'],
    ['caption,account_ids', 'x', 'rows[2]', 'wrong_cell_count'],
    ['caption,account_ids', 'a\0b,ID', 'rows[2].caption', 'invalid_text'],
    ['account_ids,metadata.__proto__', 'ID,x', 'rows[2].metadata.__proto__', 'unknown_field'],
  ])('under %j is refused with its path: %j', async (header, row, path, code) => {
    const answer = await send(`${header}\n${row.replace('ID', account)}`);
    expect(answer.status).toBe(200);
    expect(itemsOf(answer)[0]).toMatchObject({
      status: 422,
      error: { issues: [expect.objectContaining({ path, code })] },
    });
  });

  test('has the path of its own cells in warnings too', async () => {
    await send(rows(`same,${account}`));
    const answer = await send(rows(`same,${account}`));
    expect(itemsOf(answer)[0]!.warnings).toMatchObject([
      { path: 'rows[2].account_ids[0]', code: 'repeated_content' },
    ]);
  });
});

describe('a file', () => {
  test.each([
    ['an unknown column', 'caption,acount_ids\nx,y', 'rows[1].acount_ids', 'unknown_field'],
    ['a column twice', 'caption,caption\nx,y', 'rows[1].caption', 'duplicate'],
    ['metadata without a key', 'metadata.\nx', 'rows[1]["metadata."]', 'unknown_field'],
    [
      'targets with their own content',
      'platform_posts\nx',
      'rows[1].platform_posts',
      'unknown_field',
    ],
    ['semicolons', 'caption;account_ids\nx;y', 'rows[1]["caption;account_ids"]', 'unknown_field'],
    ['no row', 'caption,account_ids\n', 'rows', 'too_small'],
    ['nothing at all', '', 'rows', 'too_small'],
    ['nothing but a BOM', '\ufeff', 'rows', 'too_small'],
    ['501 rows', rows(...Array.from({ length: 501 }, () => 'a,b')), 'rows', 'too_big'],
  ])('with %s is refused as a whole', async (_, text, path, code) => {
    const before = await countPosts();
    const answer = await send(text);
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path, code }]);
    expect(await countPosts()).toBe(before);
  });

  test.each([
    ['a quote that is never closed', rows('a,x', 'b,"x', 'c,x', 'd,x'), 3],
    ['text after a quote', rows('a,x', '"b"x,y'), 3],
    ['a quote within a cell', rows('a "b" c,x'), 2],
  ])('with %s is refused with its line', async (_, text, line) => {
    const answer = await send(text);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'malformed_csv',
          message: `The body is not valid CSV: line ${line}.`,
          line,
        },
      },
    });
  });

  test('that is not in UTF-8 is refused', async () => {
    const answer = await send(Buffer.from('caption,account_ids\ngr\u00fcn,x', 'latin1'));
    expect(answer.body.error).toMatchObject({
      code: 'malformed_csv',
      message: 'The body is not valid UTF-8.',
    });
    const utf16 = await send(Buffer.from('\ufeffcaption,account_ids\nx,y', 'utf16le'));
    expect(utf16.status).toBe(400);
  });

  test.each([
    ['10,001 cells', `${'a,'.repeat(10_000)}a\nb`],
    ['10,001 empty rows', `caption\n${'\n'.repeat(10_001)}`],
    ['more than 4 MB', `caption\n${'x'.repeat(8 * 524_288)}`],
  ])('of %s is too large', async (_, text) => {
    const answer = await send(text);
    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
  });

  test.each([
    ['text/csv; charset=utf-8', 200],
    ['TEXT/CSV;charset="UTF-8"', 200],
    ['text/csv; charset=iso-8859-1', 415],
    ['text/plain', 415],
    ['application/csv', 415],
  ])('of the type %s is answered with %i', async (type, status) => {
    const answer = await send(rows(`x,${account}`), { headers: { 'Content-Type': type } });
    expect(answer.status).toBe(status);
    if (status === 415) expect(answer.body.error.hint).toContain('text/csv');
  });

  test('is not taken by a route for JSON', async () => {
    const headers = { 'Content-Type': 'text/csv' };
    const answer = await rest.call('POST', '/v1/posts', { key: mine.key, raw: 'a', headers });
    expect(answer).toMatchObject({
      status: 415,
      body: { error: { hint: 'Content-Type: application/json' } },
    });
  });

  test('needs the scope posts:write before it is checked', async () => {
    const { projectId } = mine;
    const { key } = await rest.createTenant({ projectId, scopes: ['posts:read'] });
    expect((await send('acount_ids\nx', { key })).status).toBe(403);
  });

  test('of a test key reaches no account of production', async () => {
    const { projectId } = mine;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const sandbox = await rest.insertAccount(projectId, { platform: 'sandbox' });
    const answer = await send(rows(`x,${account}`, `y,${sandbox}`), { key });
    expect(statusesOf(answer)).toEqual([422, 202]);
    expect(itemsOf(answer)[0]!.error!.issues).toMatchObject([{ code: 'unknown_account' }]);
  });

  test('with an Idempotency-Key can be repeated', async () => {
    const headers = { 'Idempotency-Key': 'file' };
    const text = rows(`once,${account}`, 'twice,sa_unknown');
    const first = await send(text, { headers });
    const second = await send(text, { headers });
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.body.data).toEqual(first.body.data);
    expect((await send(rows(`other,${account}`), { headers })).status).toBe(409);
  });
});

describe('a dry run', () => {
  const query = '?dry_run=true';

  test('answers as the creation would, without the posts, and creates nothing', async () => {
    const before = await countPosts();
    const at = inSeconds(7_200);
    const text = `caption,account_ids,scheduled_at\nnow,${account},\nlater,${account},${at}\nbad,sa_unknown,`;
    const answer = await send(text, { query });
    expect(itemsOf(answer)).toMatchObject([
      { status: 202, warnings: [] },
      { status: 201, warnings: [] },
      { status: 422, error: { issues: [{ path: 'rows[4].account_ids[0]' }] } },
    ]);
    expect(itemsOf(answer).filter((item) => 'post' in item)).toEqual([]);
    expect(await countPosts()).toBe(before);
  });

  test('takes JSON too, and warns and refuses as the creation does', async () => {
    const limited = await rest.createTenant();
    const { db } = rest.context;
    await db
      .updateTable('projects')
      .set({ monthly_posts_per_account: 1 })
      .where('id', '=', limited.projectId)
      .execute();
    const only = await rest.insertAccount(limited.projectId);
    const post = (caption: string) => ({ caption, account_ids: [only] });
    const call = (posts: object[], path = '/v1/posts/bulk?dry_run=true') =>
      rest.call('POST', path, { key: limited.key, body: { posts } });
    expect(statusesOf(await call([post('a'), post('b')]))).toEqual([202, 202]);
    await call([post('a')], '/v1/posts/bulk');
    const refused = await call([post('b'), { ...post('c'), status: 'draft' }]);
    expect(itemsOf(refused)).toMatchObject([
      { status: 403, error: { code: 'quota_exceeded' } },
      { status: 201 },
    ]);
    await db
      .updateTable('projects')
      .set({ monthly_posts_per_account: null })
      .where('id', '=', limited.projectId)
      .execute();
    expect(itemsOf(await call([post('a')]))[0]!.warnings).toMatchObject([
      { path: 'posts[0].account_ids[0]', code: 'repeated_content' },
    ]);
  });

  test('leaves its Idempotency-Key to the creation', async () => {
    const headers = { 'Idempotency-Key': 'dry' };
    const text = rows(`dry,${account}`);
    expect((await send(text, { query, headers })).headers.get('Idempotency-Replayed')).toBeNull();
    const real = await send(text, { headers });
    expect([real.headers.get('Idempotency-Replayed'), captionsOf(real)]).toEqual([null, ['dry']]);
    const again = await send(text, { query, headers });
    expect([again.headers.get('Idempotency-Replayed'), captionsOf(again)]).toEqual([
      null,
      [undefined],
    ]);
  });

  test('is refused if it is neither true nor false', async () => {
    const answer = await send(rows(`x,${account}`), { query: '?dry_run=yes' });
    expect(answer.body.error.issues).toMatchObject([{ path: 'dry_run' }]);
  });
});
