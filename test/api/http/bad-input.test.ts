// Invalid input of every form is refused with the exact path of each issue, and nothing is written.
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestKey, useRest } from '../../support/app/rest.ts';

let mine: TestKey;
let account: string;
let anothers: string;

const rest = useRest();
beforeAll(async () => {
  mine = await rest.createTenant();
  account = await rest.insertAccount(mine.projectId);
  anothers = await rest.insertAccount((await rest.createTenant()).projectId);
});

afterEach(async () => {
  for (const table of ['posts', 'webhook_subscriptions', 'outbox', 'changes', 'idempotency_keys']) {
    const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(rest.context.db);
    expect([table, rows.length]).toEqual([table, 0]);
  }
});

async function issuesOf(method: string, path: string, body: unknown) {
  const answer = await rest.call(method, path, { key: mine.key, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(422);
  expect(answer.body.error).toMatchObject({ code: 'validation_error', is_retriable: false });
  return answer.body.error.issues as { path: string; code: string; message: string }[];
}

function fromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

describe('POST /v1/posts', () => {
  type Row = [name: string, body: () => unknown, ...issues: [path: string, code: string][]];
  const rows: Row[] = [
    ['no target', () => ({ caption: 'a' }), ['account_ids', 'no_targets']],
    ['empty account_ids', () => ({ caption: 'a', account_ids: [] }), ['account_ids', 'no_targets']],
    [
      'empty platform_posts',
      () => ({ caption: 'a', platform_posts: [] }),
      ['platform_posts', 'no_targets'],
    ],
    [
      'both target forms',
      () => ({ account_ids: [account], platform_posts: [{ account_id: account }] }),
      ['platform_posts', 'both_target_forms'],
    ],
    [
      'an unknown account',
      () => ({ caption: 'a', account_ids: [account, 'sa_unknown'] }),
      ['account_ids[1]', 'unknown_account'],
    ],
    [
      "another project's account",
      () => ({ caption: 'a', platform_posts: [{ account_id: account }, { account_id: anothers }] }),
      ['platform_posts[1].account_id', 'unknown_account'],
    ],
    [
      'an account twice',
      () => ({ caption: 'a', account_ids: [account, account] }),
      ['account_ids[1]', 'duplicate_account'],
    ],
    [
      'a time in the past',
      () => ({ caption: 'a', account_ids: [account], scheduled_at: fromNow(-60) }),
      ['scheduled_at', 'too_soon'],
    ],
    [
      'a time too near',
      () => ({ caption: 'a', account_ids: [account], scheduled_at: fromNow(50) }),
      ['scheduled_at', 'too_soon'],
    ],
    [
      'a time years ahead',
      () => ({ caption: 'a', account_ids: [account], scheduled_at: fromNow(400 * 86_400) }),
      ['scheduled_at', 'too_far'],
    ],
    [
      'a time without zone',
      () => ({ caption: 'a', account_ids: [account], scheduled_at: '2030-01-31T12:00:00' }),
      ['scheduled_at', 'invalid_format'],
    ],
    [
      'a day that is not',
      () => ({ caption: 'a', account_ids: [account], scheduled_at: '2030-02-31T12:00:00Z' }),
      ['scheduled_at', 'invalid_format'],
    ],
    [
      'wrong types',
      () => ({ caption: 1, account_ids: 'sa_1', metadata: { a: 1 }, status: 7 }),
      ['caption', 'invalid_type'],
      ['account_ids', 'invalid_type'],
      ['status', 'invalid_value'],
      ['metadata.a', 'invalid_type'],
    ],
    [
      'null in a list of texts',
      () => ({ caption: 'a', account_ids: [null] }),
      ['account_ids[0]', 'invalid_type'],
    ],
    [
      'unknown fields',
      () => ({
        caption: 'a',
        captoin: 'b',
        platform_posts: [{ account_id: account }, { account_id: account, option: {} }],
      }),
      ['platform_posts[1].option', 'unknown_field'],
      ['captoin', 'unknown_field'],
    ],
    [
      'a field that names the prototype',
      () => JSON.parse('{"caption":"a","metadata":{"__proto__":"x"}}'),
      ['metadata.__proto__', 'unknown_field'],
    ],
    [
      'a key that is no name',
      () => ({ caption: 'a', metadata: { 'a.b': 1 } }),
      ['metadata["a.b"]', 'invalid_type'],
    ],
    [
      'NUL characters',
      () => ({ caption: 'a\0', metadata: { 'k\0': 'v' } }),
      ['caption', 'invalid_text'],
      ['metadata["k\\u0000"]', 'invalid_text'],
    ],
    [
      'half a surrogate pair',
      () => ({ platform_posts: [{ account_id: account, caption: '\ud83d' }] }),
      ['platform_posts[0].caption', 'invalid_text'],
    ],
    ['an array', () => [], ['body', 'invalid_type']],
    ['null', () => null, ['body', 'invalid_type']],
    ['a string', () => 'caption', ['body', 'invalid_type']],
    [
      'too much metadata',
      () => ({
        metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'v'])),
      }),
      ['metadata', 'invalid'],
    ],
    ['a caption too long', () => ({ caption: 'x'.repeat(100_001) }), ['caption', 'too_big']],
    [
      'a caption too long for the network',
      () => ({ caption: 'x'.repeat(301), account_ids: [account] }),
      ['caption', 'caption_too_long'],
    ],
    [
      'unknown platform options',
      () => ({
        caption: 'a',
        platform_posts: [{ account_id: account, platform_options: { x: 1 } }],
      }),
      ['platform_posts[0].platform_options.x', 'unknown_field'],
    ],
    ['an empty idempotency key', () => ({ idempotency_key: '' }), ['idempotency_key', 'too_small']],
  ];
  test.each(rows)('refuses %s', async (_, body, ...expected) => {
    const issues = await issuesOf('POST', '/v1/posts', body());
    expect(issues.map(({ path, code }) => [path, code])).toEqual(expected);
  });

  test('refuses endless nesting', async () => {
    const raw = `{"metadata":${'['.repeat(4_000)}${']'.repeat(4_000)}}`;
    const answer = await rest.call('POST', '/v1/posts', { key: mine.key, raw });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues[0].code).toBe('too_deep');
  });

  test('reports the count and the limit', async () => {
    const [issue] = await issuesOf('POST', '/v1/posts', { caption: 'x'.repeat(100_001) });
    expect(issue).toEqual({
      path: 'caption',
      code: 'too_big',
      message: 'must have at most 100000 characters',
      actual: 100_001,
      limit: 100_000,
    });
  });

  test('lists at most a hundred issues', async () => {
    const body = { account_ids: Array.from({ length: 500 }, () => 1) };
    expect(await issuesOf('POST', '/v1/posts', body)).toHaveLength(100);
  });
});

describe('POST /v1/webhooks', () => {
  test.each([
    ['http://example.com/hook', 'not_https'],
    ['ftp://example.com/hook', 'not_https'],
    ['/hook', 'not_absolute'],
    ['example.com', 'not_absolute'],
    ['', 'not_absolute'],
    ['https://', 'not_absolute'],
    ['https:/example.com', 'not_absolute'],
    ['https://user:secret@example.com/', 'has_credentials'],
    ['https://127.0.0.1/', 'blocked_address'],
    ['https://localhost/', 'blocked_address'],
    ['https://10.0.0.8/', 'blocked_address'],
    ['https://169.254.169.254/latest', 'blocked_address'],
    ['https://0x7f.1/', 'blocked_address'],
    ['https://2130706433/', 'blocked_address'],
    ['https://0177.0.0.1/', 'blocked_address'],
    ['https://[::1]/', 'blocked_address'],
    ['https://[::ffff:127.0.0.1]/', 'blocked_address'],
    ['https://[fd00::1]/', 'blocked_address'],
    ['https://0.0.0.0/', 'blocked_address'],
    ['https://127。0。0。1/', 'blocked_address'],
    ['http://127.0.0.1/', 'blocked_address'],
  ])('refuses the url %s', async (url, code) => {
    expect(await issuesOf('POST', '/v1/webhooks', { url })).toEqual([
      { path: 'url', code, message: expect.any(String) },
    ]);
  });

  test.each([
    [{ url: 7 }, 'url', 'invalid_type'],
    [{ url: 'https://example.com', events: ['post.exploded'] }, 'events[0]', 'invalid_value'],
    [{ url: 'https://example.com', events: [] }, 'events', 'too_small'],
    [{ url: 'https://example.com', events: 'post.failed' }, 'events', 'invalid_type'],
    [{ url: 'https://example.com', active: 'yes' }, 'active', 'invalid_type'],
    [{ url: 'https://example.com', secret: 'mine' }, 'secret', 'unknown_field'],
    [{ url: 'https://example.com', name: '' }, 'name', 'too_small'],
    [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'url', 'too_big'],
  ])('refuses %o', async (body, path, code) => {
    expect(await issuesOf('POST', '/v1/webhooks', body)).toMatchObject([{ path, code }]);
  });
});

describe('a refusal', () => {
  const url = 'https://example.com';
  test.each([
    ['POST', '/v1/webhooks', { url, events: [] }, 'omit it to receive every live event type'],
    ['PATCH', '/v1/webhooks/wh_1', { events: [] }, 'omit it to leave the event types unchanged'],
    [
      'PATCH',
      '/v1/webhooks/wh_1',
      {},
      'must change at least one of `url`, `events`, `name`, `active`',
    ],
    [
      'POST',
      '/v1/webhooks/wh_1/replay',
      { since: '2026-01-01T00:00:00Z', status: 'failed' },
      'must be an array of "failed" or "skipped" or "canceled" or "delivered" or "missing"',
    ],
  ] as const)('names the expected value for %s %s %o', async (method, path, body, words) => {
    const [issue] = await issuesOf(method, path, body);
    expect(issue?.message).toContain(words);
  });

  test.each(['https://127.0.0.1/', 'http://10.0.0.8/', 'http://example.com/'])(
    'says what an operator can do about the URL %s',
    async (url) => {
      const { body } = await rest.call('POST', '/v1/webhooks', { key: mine.key, body: { url } });
      expect(body.error.hint).toContain('FANFARE_ALLOW_PRIVATE_CIDRS');
    },
  );
});

describe('a query', () => {
  test.each([
    ['/v1/posts?limit=0', 'limit', 'too_small'],
    ['/v1/posts?limit=-1', 'limit', 'too_small'],
    ['/v1/posts?limit=101', 'limit', 'too_big'],
    ['/v1/posts?limit=many', 'limit', 'invalid_type'],
    ['/v1/posts?limit=', 'limit', 'invalid_type'],
    ['/v1/posts?limit=0x10', 'limit', 'invalid_type'],
    ['/v1/posts?limit=1e1', 'limit', 'invalid_type'],
    ['/v1/posts?limit=1.0', 'limit', 'invalid_type'],
    ['/v1/posts?limit=%2010', 'limit', 'invalid_type'],
    ['/v1/posts?limit=%2B5', 'limit', 'invalid_type'],
    ['/v1/posts?__proto__=1', '__proto__', 'unknown_parameter'],
    ['/v1/posts?status=done', 'status', 'invalid_value'],
    ['/v1/posts?platform=myspace', 'platform', 'invalid_value'],
    ['/v1/posts?from=yesterday', 'from', 'invalid_format'],
    ['/v1/posts?sort=asc', 'sort', 'unknown_parameter'],
    ['/v1/posts?platform=sandbox&platform=mastodon', 'platform', 'repeated_parameter'],
    ['/v1/posts?external_user_id=%00', 'external_user_id', 'invalid_text'],
    ['/v1/webhooks?cursor=abc', 'cursor', 'invalid_cursor'],
    ['/v1/webhooks?cursor=', 'cursor', 'invalid_cursor'],
    ['/v1/events?test=maybe', 'test', 'invalid_value'],
    ['/v1/events?event=post.exploded', 'event', 'invalid_value'],
    ['/v1/posts?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from', 'not_before_to'],
    ['/v1/posts?from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00%2B01:00', 'from', 'not_before_to'],
    [
      '/v1/events?since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z',
      'since',
      'not_before_until',
    ],
    [
      '/v1/webhooks/wh_1/deliveries?since=2026-01-01T00:00:00Z&until=2026-01-01T00:00:00Z',
      'since',
      'not_before_until',
    ],
    ['/v1/project?x=1', 'x', 'unknown_parameter'],
  ])('%s is refused', async (path, parameter, code) => {
    expect(await issuesOf('GET', path, undefined)).toMatchObject([{ path: parameter, code }]);
  });
});

describe('an id', () => {
  test.each(['nothing', 'wh_%00', '%F0%9F', 'x'.repeat(5_000), 'evt_01m7yba8ceenhb54c9ws6neery'])(
    'is 404 if it names nothing: %.20s',
    async (id) => {
      const answer = await rest.call('GET', `/v1/webhooks/${id}`, { key: mine.key });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    },
  );
});
