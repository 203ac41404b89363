// The Idempotency-Key: one answer for one request, however often and however simultaneously it comes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestRest, type TestKey, type TestRest } from '../support/rest.ts';

let rest: TestRest;
let tenant: TestKey;
let account: string;

beforeAll(async () => {
  rest = await createTestRest();
  tenant = await rest.createTenant();
  account = await rest.insertAccount(tenant.projectId);
});
afterAll(() => rest[Symbol.asyncDispose]());

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
  test('gets the first answer again, its status and its secret too', async () => {
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

  test('with another body, path or spelling is a conflict', async () => {
    await send('/v1/webhooks', 'hook-2', { url: 'https://example.com/a' });
    const other = await send('/v1/webhooks', 'hook-2', { url: 'https://example.com/b' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } });
    const path = await send('/v1/api-keys', 'hook-2', { name: 'a' });
    expect(path.status).toBe(409);
  });

  test('by another project is a request of its own', async () => {
    const body = { url: 'https://example.com/hook' };
    const first = await send('/v1/webhooks', 'shared', body);
    const { key } = await rest.createTenant();
    const other = await send('/v1/webhooks', 'shared', body, key);
    expect(other.headers.get('Idempotency-Replayed')).toBeNull();
    expect(other.body.data.id).not.toBe(first.body.data.id);
  });

  test('of a refused request is judged anew', async () => {
    const body = { caption: 'later', account_ids: ['sa_unknown'] };
    expect((await send('/v1/posts', 'post-1', body)).status).toBe(422);
    const good = await send('/v1/posts', 'post-1', { ...body, account_ids: [account] });
    expect(good.status).toBe(202);
  });

  test('is answered though the request would be refused by now', async () => {
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

describe('twenty simultaneous requests', () => {
  test('with one key make one post and get one answer', async () => {
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

  test('may have 255 characters', async () => {
    const answer = await send('/v1/webhooks', 'x'.repeat(255), { url: 'https://example.com' });
    expect(answer.status).toBe(201);
  });

  test('of a post may come in the body', async () => {
    const body = { caption: 'in body', account_ids: [account], idempotency_key: 'in-body' };
    const first = await send('/v1/posts', null, body);
    const second = await send('/v1/posts', 'in-body', body);
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.body.data.id).toBe(first.body.data.id);
  });

  test('in the body must equal that of the header', async () => {
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
