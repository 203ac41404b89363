// Nothing that a request brings keeps the event loop, and with it all other requests, for more than 100 ms.
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/wire/ids.ts';
import { useApp } from '../support/app/app.ts';
import { elapse } from '../support/elapse.ts';
import { createTurnMeter, type MeasuredAnswer } from '../support/checks/turn-meter.ts';
import { forFile } from '../support/fixtures.ts';
import { closeOf, openOwnSocket } from '../support/receivers/raw-socket.ts';

const maxTurnMs = 100;
const bodyBytes = 524_288;
const bulkBytes = 8 * bodyBytes;
const values = 10_000;
/** One turn for all of them would take too long. */
const targets = 8;

const app = useApp({ roles: { api: true, worker: false } });
const meter = forFile(createTurnMeter);
/** Accounts of each network, whose texts are counted. */
const accounts = new Map<string, string[]>();

beforeAll(async () => {
  for (const platform of ['sandbox', 'bluesky', 'mastodon', 'slack', 'nostr', 'twitter'] as const) {
    const rows = Array.from({ length: targets }, (_, i) => ({
      id: newId('account'),
      project_id: app.tenant.projectId,
      platform,
      account_name: `${platform} ${i}`,
      external_account_id: `${platform}-${i}`,
      connection_type: 'byo' as const,
      status: 'active' as const,
      traits: JSON.stringify({ instance: 'https://m.example', max_characters: 100_000 }),
    }));
    await app.context.db.insertInto('social_accounts').values(rows).execute();
    accounts.set(
      platform,
      rows.map(({ id }) => id),
    );
  }
});

/** The best of several, because collecting garbage counts too, and a core that other programs share is slower. */
async function measure(
  path: string,
  text = '',
  method = 'POST',
  type = 'application/json',
): Promise<MeasuredAnswer> {
  let best: MeasuredAnswer | undefined;
  for (let i = 0; i < 20 && !(best && best.longestTurnMs < maxTurnMs); i++) {
    if (i > 2) await elapse(300, 'other programs may need the core for a while');
    const measured = await meter.measure({
      url: `${app.url}${path}`,
      method,
      headers: { Authorization: `Bearer ${app.tenant.key}`, 'Content-Type': type },
      ...(text === '' ? {} : { body: Buffer.from(text) }),
    });
    if (!best || measured.longestTurnMs < best.longestTurnMs) best = measured;
  }
  expect(best!.longestTurnMs).toBeLessThan(maxTurnMs);
  return best!;
}

/** Of all networks in turn: a post with 20 values. */
const manyTargets = () => [...accounts.values()].flat().slice(0, 15);
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
const post = (members: object) => JSON.stringify({ caption: 'x', account_ids: [], ...members });

describe('a body', () => {
  const malformed = `{"a":"${'x'.repeat(bodyBytes - 9)}`;
  test.each<[string, () => string, status: number]>([
    ['of valid JSON with too many values', () => `[${'{},'.repeat(170_000)}{}]`, 413],
    ['of deep arrays', () => '['.repeat(bodyBytes / 2) + ']'.repeat(bodyBytes / 2), 413],
    ['that ends within a string', () => malformed, 400],
    ['that breaks after thousands of values', () => `[${'1,'.repeat(values - 20)}x`, 400],
    ['of empty objects', () => post({ a: many(values / 2 - 20, {}) }), 422],
    ['of lines', () => `${'\n'.repeat(bodyBytes - 10)}x`, 400],
    ['nested 9,000 times', () => `{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`, 422],
    ['with thousands of unknown fields', () => post(keys(values - 20)), 422],
    ['with thousands of metadata', () => post({ metadata: keys(values - 20) }), 422],
    ['with thousands of wrong IDs', () => post({ account_ids: many(values - 20, 1) }), 422],
    ['with thousands of media', () => post({ media: many(values / 2 - 20, {}) }), 200],
    ['with a stack of accents', () => post({ caption: `a${'\u0301\u0316'.repeat(20_000)}` }), 422],
    ['with a caption of 500 kB', () => post({ caption: 'é'.repeat(260_000) }), 422],
  ])('does not block the event loop: a body %s', async (_, write, status) => {
    const text = write();
    expect((await measure('/v1/posts/validate', text)).status).toBe(status);
    const query = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }';
    await measure('/graphql', `{"query":"${query}","variables":{"input":${text}}}`);
    if (status === 400 || status === 413) return;
    const one = `{"posts":[${text}]}`;
    expect((await measure('/v1/posts/bulk', one)).text).toContain('"status":422');
  });

  test('does not block the event loop: several posts, each with a long caption', async () => {
    const caption = 'x'.repeat(80_000);
    const posts = many(50, { caption, account_ids: accounts.get('sandbox') });
    expect((await measure('/v1/posts/bulk', JSON.stringify({ posts }))).status).toBe(200);
  });

  test('does not block the event loop: 500 posts with as many targets as values allow', async () => {
    const posts = many(500, { caption: 'x', status: 'draft', account_ids: manyTargets() });
    expect((await measure('/v1/posts/bulk', JSON.stringify({ posts }))).status).toBe(200);
  }, 120_000);

  test.each<[string, () => string, status: number]>([
    ['of one long cell', () => `caption\n"${'x'.repeat(bulkBytes - 20)}"`, 200],
    ['of quotes', () => `caption\n"${'""'.repeat(bulkBytes / 2 - 10)}"`, 200],
    ['of line breaks', () => `caption\n${'\n'.repeat(bulkBytes - 10)}`, 413],
    ['of commas', () => `caption\n${','.repeat(bulkBytes - 10)}`, 413],
    ['of unknown columns', () => `${'x,'.repeat(values / 2 - 20)}x\ny`, 422],
    [
      'with a quote that is never closed',
      () => `caption\n"${'x\n'.repeat(bulkBytes / 2 - 10)}`,
      400,
    ],
  ])('does not block the event loop: CSV %s', async (_, write, status) => {
    const answer = await measure('/v1/posts/bulk?dry_run=true', write(), 'POST', 'text/csv');
    expect(answer.status).toBe(status);
  });

  test('does not block the event loop: thousands of unknown options', async () => {
    const [account_id] = accounts.get('sandbox')!;
    const target = { account_id, platform_options: keys(values - 100) };
    const text = JSON.stringify({ caption: 'x', platform_posts: [target] });
    expect((await measure('/v1/posts/validate', text)).text).toContain('unknown_field');
  });

  test('is refused with the limit and the size if it is over the limit', async () => {
    const text = post({ caption: 'x'.repeat(bodyBytes) });
    const { status, body } = await app.api.post('/v1/posts', JSON.parse(text));
    expect([status, body.error.limit, body.error.actual]).toEqual([413, bodyBytes, text.length]);
    const bulk = await app.api.post('/v1/posts/bulk', { posts: many(9, JSON.parse(text)) });
    expect([bulk.status, bulk.body.error.limit]).toEqual([413, bulkBytes]);
    const valuesToo = await app.api.post('/v1/posts', { a: many(values, 1) });
    expect([valuesToo.status, valuesToo.body.error.limit]).toEqual([413, values]);
    const { data } = (await app.api.get('/v1/limits')).body;
    expect([data.body_bytes, data.bulk_body_bytes, data.body_values]).toEqual([
      bodyBytes,
      bulkBytes,
      values,
    ]);
  });
});

describe('the texts of several targets', () => {
  test.each([
    ['words', 'x '.repeat(50_000)],
    ['flags', '🇩'.repeat(49_000)],
    ['families', '👩‍👩‍👧'.repeat(12_000)],
    ['letters with many accents', `a${'\u0301\u0316'.repeat(50)}`.repeat(900)],
    ['hyphens and a domain', `${'a-'.repeat(12_900)}.com`],
    ['a domain, a mark, hyphens and a domain', `a.co/"${'a-'.repeat(12_900)}.com`],
    ['domains', 'a.com '.repeat(16_000)],
    ['labels of one letter', 'a.'.repeat(49_000)],
    ['labels of one Chinese letter', '漢.'.repeat(12_900)],
    ['long labels of Chinese letters', `${'漢'.repeat(240)}.`.repeat(100)],
    ['Chinese letters and a domain', `${'漢'.repeat(25_900)} a.b`],
    ['emoji and a domain', `${'😀'.repeat(12_900)} a.b`],
    ['a path of brackets', `https://a.com/${'(a)'.repeat(30_000)}`],
    ['markup', '<@&'.repeat(33_000)],
  ])('do not block the event loop: %s', async (_, caption) => {
    for (const ids of accounts.values()) {
      const text = JSON.stringify({ caption, account_ids: ids });
      expect((await measure('/v1/posts/validate', text)).status).toBe(200);
    }
  });
});

describe('a queue beside 100 large queues of the same account', () => {
  const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const slots = weekdays.flatMap((weekday) =>
    Array.from({ length: 48 }, (_, i) => {
      const hour = String(Math.floor(i / 2)).padStart(2, '0');
      return { weekday, time: `${hour}:${i % 2 ? '31' : '01'}` };
    }),
  );
  // Other minutes, so that no slot is shared, and all are compared.
  const plan = (account: string) => ({
    name: 'Main',
    timezone: 'Africa/Casablanca',
    account_ids: [account],
    slots: slots.map((slot) => ({ ...slot, time: slot.time.replace(/1$/, '2') })),
  });

  beforeAll(async () => {
    const [account] = accounts.get('sandbox')!;
    const rows = Array.from({ length: 100 }, () => ({
      id: newId('queue'),
      project_id: app.tenant.projectId,
      environment: 'test' as const,
      name: 'Other',
      timezone: 'Africa/Casablanca',
      account_ids: [account!],
      slots: JSON.stringify(slots),
      is_paused: false,
    }));
    await app.context.db.insertInto('queues').values(rows).execute();
  });

  test('is created, and takes a post, without blocking the event loop', async () => {
    const [account] = accounts.get('sandbox')!;
    const body = plan(account!);
    const { status } = await measure('/v1/queues', JSON.stringify(body));
    expect(status).toBe(201);
    const queue = await app.api.call('POST', '/v1/queues', body);
    expect(queue.status).toBe(201);
    const taking = JSON.stringify({ caption: 'x', queue_id: queue.body.data.id });
    expect((await measure('/v1/posts', taking)).status).toBe(201);
  });
});

test('a document that validates many long posts does not block the event loop', async () => {
  const ids = accounts.get('twitter');
  const variables = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `v${i}`,
      { caption: `${i} ${'https://a.co/x '.repeat(1_600)}`, accountIds: ids },
    ]),
  );
  const names = Object.keys(variables);
  const declared = names.map((name) => `$${name}: CreatePostInput!`).join(', ');
  const fields = names.map((name) => `${name}: validatePost(input: $${name}) { valid }`).join(' ');
  const query = `query (${declared}) { ${fields} }`;
  const { text } = await measure('/graphql', JSON.stringify({ query, variables }));
  expect(text).toContain('"v19":{"valid":');
});

describe('large posts', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    const caption = 'é'.repeat(30_000);
    const platform_posts = accounts.get('mastodon')!.map((account_id) => ({ account_id, caption }));
    for (let i = 0; i < 40; i++) {
      const draft = { caption: 'x', status: 'draft', labels: ['large'], platform_posts };
      ids.push((await app.api.post('/v1/posts', draft)).body.data.id);
    }
  });

  test('end a page before it has much more than 1 MB', async () => {
    const found: string[] = [];
    const list = '/v1/posts?label=large&limit=100';
    let next = list;
    while (next !== '') {
      const { text } = await app.api.get(next);
      expect(Buffer.byteLength(text)).toBeLessThan(1_200_000);
      const { data, meta } = JSON.parse(text) as ListedPosts;
      found.push(...data.map(({ id }) => id));
      expect([meta.limit, meta.has_more]).toEqual([100, meta.next_cursor !== null]);
      next = meta.next_cursor ? `${list}&cursor=${meta.next_cursor}` : '';
    }
    expect(found).toEqual(ids.toReversed());
    await measure(list, '', 'GET');
  });

  test.each([
    ['of many posts', () => ids.map((id, i) => `a${i}: post(id: "${id}") { results { caption } }`)],
    [
      'of many pages',
      () => ids.map((_, i) => `a${i}: posts(first: 5) { nodes { results { caption } } }`),
    ],
    [
      'of one text under many names',
      () => [
        `post(id: "${ids[0]}") { results { ${ids.map((_, i) => `a${i}: caption`).join(' ')} } }`,
      ],
    ],
  ])('fill a response %s until each further field is an error', async (_, write) => {
    const query = `{ ${write().join(' ')} }`;
    await measure('/graphql', JSON.stringify({ query }));
    const { text, body } = await app.api.graphql(query);
    expect(text.length).toBeLessThan(4_600_000);
    expect(body.errors[0].extensions.issues).toMatchObject([{ code: 'response_too_large' }]);
    // Those that were being read at the limit may be as large.
    expect(body.errors.length).toBeLessThan(1_000);
  });
});

interface ListedPosts {
  data: { id: string }[];
  meta: { limit: number; has_more: boolean; next_cursor: string | null };
}

test('a socket whose message has too many values is closed', async () => {
  const socket = await openOwnSocket(app.url, app.tenant.key);
  socket.send(`{"type":"ping","payload":{"a":[${'{},'.repeat(values / 2)}{}]}}`);
  expect(await closeOf(socket)).toEqual({
    code: 1009,
    reason: 'A message must have at most 10000 values',
  });
});
