// The Idempotency-Key: repeats of a request, even simultaneous ones, get one answer.
import { beforeAll, describe, expect, test } from 'vitest';
import type { NewKey } from '../../../api/api-keys/key.ts';
import { type TestKey, useRest } from '../../support/app/rest.ts';

let tenant: TestKey;
let account: string;

const rest = useRest();
beforeAll(async () => {
  tenant = await rest.createTenant();
  account = await rest.insertAccount(tenant.projectId);
});

function send(path: string, idempotencyKey: string | null, body: unknown, key = tenant.key) {
  const headers = idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey };
  return rest.call('POST', path, { key, body, headers });
}

async function countPosts(caption: string): Promise<number> {
  const posts = await rest.context.db
    .selectFrom('posts')
    .select('id')
    .where('caption', '=', caption)
    .execute();
  return posts.length;
}

describe('a repeat', () => {
  test('gets the first answer again, including its status and its secret', async () => {
    const body = { url: 'https://example.com/hook' };
    const first = await send('/v1/webhooks', 'hook-1', body);
    const second = await send('/v1/webhooks', 'hook-1', body);
    expect(first.headers.get('Idempotency-Replayed')).toBeNull();
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.status).toBe(201);
    expect(second.body.data).toEqual(first.body.data);
    expect(second.body.request_id).not.toBe(first.body.request_id);
    const { rows } = await readStored('hook-1');
    expect(rows.includes(first.body.data.secret)).toBe(false);
  });

  test('of a change writes nothing, even if another change came since', async () => {
    const { id } = (await send('/v1/webhooks', null, { url: 'https://example.com/0' })).body.data;
    const change = (url: string, key: string) => {
      const headers = { 'Idempotency-Key': key };
      return rest.call('PATCH', `/v1/webhooks/${id}`, { key: tenant.key, body: { url }, headers });
    };
    const first = await change('https://example.com/1', 'change-1');
    await change('https://example.com/2', 'change-2');
    const repeat = await change('https://example.com/1', 'change-1');
    expect(repeat.headers.get('Idempotency-Replayed')).toBe('true');
    expect(repeat.body.data).toEqual(first.body.data);
    const now = await rest.call('GET', `/v1/webhooks/${id}`, { key: tenant.key });
    expect(now.body.data.url).toBe('https://example.com/2');
  });

  test('is a conflict if its body or path differs', async () => {
    await send('/v1/webhooks', 'hook-2', { url: 'https://example.com/a' });
    const other = await send('/v1/webhooks', 'hook-2', { url: 'https://example.com/b' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } });
    const path = await send('/v1/api-keys', 'hook-2', { name: 'a' });
    expect(path.status).toBe(409);
  });

  test('is a separate request if another project sends it', async () => {
    const body = { url: 'https://example.com/hook' };
    const first = await send('/v1/webhooks', 'shared', body);
    const { key } = await rest.createTenant();
    const other = await send('/v1/webhooks', 'shared', body, key);
    expect(other.headers.get('Idempotency-Replayed')).toBeNull();
    expect(other.body.data.id).not.toBe(first.body.data.id);
  });

  test('is checked again if the first request was refused', async () => {
    const body = { caption: 'later', account_ids: ['sa_unknown'] };
    expect((await send('/v1/posts', 'post-1', body)).status).toBe(422);
    const good = await send('/v1/posts', 'post-1', { ...body, account_ids: [account] });
    expect(good.status).toBe(202);
  });

  test('is answered even if the request would now be refused', async () => {
    const leaving = await rest.insertAccount(tenant.projectId);
    const body = { caption: 'once', account_ids: [leaving] };
    const first = await send('/v1/posts', 'post-2', body);
    expect(first.status).toBe(202);
    await rest.context.db
      .updateTable('social_accounts')
      .set({ status: 'disconnected' })
      .where('id', '=', leaving)
      .execute();
    const second = await send('/v1/posts', 'post-2', body);
    expect(second.status).toBe(202);
    expect(second.body.data).toEqual(first.body.data);
  });
});

describe('a repeat with another API key', () => {
  const conflict = { status: 409, body: { error: { code: 'idempotency_conflict' } } };
  const another = (wanted: Partial<NewKey> = {}) =>
    rest.createTenant({ projectId: tenant.projectId, ...wanted });

  const secrets: [string, () => Promise<string>, unknown][] = [
    ['a webhook', () => Promise.resolve('/v1/webhooks'), { url: 'https://example.com/hook' }],
    ['an API key', () => Promise.resolve('/v1/api-keys'), { name: 'made' }],
    [
      'a connect session',
      () => Promise.resolve('/v1/connect/sessions'),
      { platform: 'sandbox', external_user_id: 'u' },
    ],
    [
      'a rotated webhook',
      async () => {
        const made = await send('/v1/webhooks', null, { url: 'https://example.com/hook' });
        return `/v1/webhooks/${made.body.data.id}/rotate`;
      },
      {},
    ],
  ];

  test.each(secrets)('does not get the secret of %s', async (name, pathOf, body) => {
    const path = await pathOf();
    const first = await send(path, `secret of ${name}`, body);
    const other = await another();
    const answer = await send(path, `secret of ${name}`, body, other.key);
    expect(answer).toMatchObject(conflict);
    expect(answer.body.error.hint).toContain('same API key');
    const { secret, key, url } = first.body.data;
    for (const hidden of [secret, key, url]) {
      if (hidden) expect(JSON.stringify(answer.body)).not.toContain(hidden);
    }
    const again = await send(path, `secret of ${name}`, body);
    expect(again.body.data).toEqual(first.body.data);
  });

  test('gets an answer without a secret, even after the first key is revoked', async () => {
    const first = await another();
    const body = { caption: 'by any key', account_ids: [account] };
    const made = await send('/v1/posts', 'no secret', body, first.key);
    await rest.call('DELETE', `/v1/api-keys/${first.keyId}`, { key: tenant.key });
    const answer = await send('/v1/posts', 'no secret', body);
    expect(answer.headers.get('Idempotency-Replayed')).toBe('true');
    expect(answer.body.data).toEqual(made.body.data);
    expect((await send('/v1/posts', 'no secret', body, first.key)).status).toBe(401);
  });

  test('is refused if the key has fewer scopes', async () => {
    const body = { caption: 'scoped', account_ids: [account] };
    await send('/v1/posts', 'scoped', body);
    const reader = await another({ scopes: ['posts:read'] });
    expect((await send('/v1/posts', 'scoped', body, reader.key)).status).toBe(403);
  });

  test('gets no answer of a production key if it is a test key, but a production key gets the answer of a test key', async () => {
    const sandboxed = await rest.insertAccount(tenant.projectId, { platform: 'sandbox' });
    const body = { caption: 'environments', account_ids: [sandboxed], status: 'draft' };
    const testing = await another({ environment: 'test' });
    await send('/v1/posts', 'of production', body);
    const refused = await send('/v1/posts', 'of production', body, testing.key);
    expect(refused).toMatchObject(conflict);
    expect(refused.body.error.hint).toEqual(expect.any(String));
    const made = await send('/v1/posts', 'of test', body, testing.key);
    expect((await send('/v1/posts', 'of test', body)).body.data).toEqual(made.body.data);
  });

  test('is refused for each post of a bulk request, and for the whole request', async () => {
    const sandboxed = await rest.insertAccount(tenant.projectId, { platform: 'sandbox' });
    const post = { caption: 'bulk', account_ids: [sandboxed], status: 'draft' };
    const testing = await another({ environment: 'test' });
    const body = { posts: [post, { ...post, idempotency_key: 'own' }] };
    await send('/v1/posts/bulk', 'whole', body);
    expect(await send('/v1/posts/bulk', 'whole', body, testing.key)).toMatchObject(conflict);
    const { status, body: answer } = await send('/v1/posts/bulk', null, body, testing.key);
    expect(status).toBe(200);
    expect(answer.data).toMatchObject([
      { status: 201 },
      { status: 409, error: { code: 'idempotency_conflict' } },
    ]);
    await rest.context.db.deleteFrom('idempotency_keys').where('key', '=', 'whole').execute();
    // Only the posts' own answers are left, as after a request that broke off.
    expect(await send('/v1/posts/bulk', 'whole', body, testing.key)).toMatchObject(conflict);
  });
});

describe('twenty simultaneous requests', () => {
  test('create one post and get one answer if they have the same key', async () => {
    const body = { caption: 'twenty', account_ids: [account] };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send('/v1/posts', 'burst', body)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
    const replayed = answers.filter((answer) => answer.headers.get('Idempotency-Replayed'));
    expect(replayed).toHaveLength(19);
    expect(await countPosts('twenty')).toBe(1);
  });
});

describe('the key itself', () => {
  test.each([
    ['', 'too_small'],
    ['x'.repeat(256), 'too_big'],
  ])('is refused by its header: %.8s', async (idempotencyKey, code) => {
    const answer = await send('/v1/webhooks', idempotencyKey, { url: 'https://example.com' });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path: 'headers.Idempotency-Key', code }]);
  });

  test('can have 255 characters', async () => {
    const answer = await send('/v1/webhooks', 'x'.repeat(255), { url: 'https://example.com' });
    expect(answer.status).toBe(201);
  });

  test('can be in the body of a post', async () => {
    const body = { caption: 'in body', account_ids: [account], idempotency_key: 'in-body' };
    const first = await send('/v1/posts', null, body);
    const second = await send('/v1/posts', 'in-body', body);
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.body.data.id).toBe(first.body.data.id);
  });

  test('must be the same in the body and in the header', async () => {
    const body = { caption: 'a', account_ids: [account], idempotency_key: 'one' };
    const answer = await send('/v1/posts', 'other', body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path: 'idempotency_key', code: 'mismatch' }]);
  });
});

async function readStored(key: string) {
  const row = await rest.context.db
    .selectFrom('idempotency_keys')
    .select('answer')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return { rows: row.answer! };
}
