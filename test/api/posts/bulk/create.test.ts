// Several posts in one request: each on its own, and once even if the request is repeated.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestAnswer, type TestKey, useRest } from '../../../support/app/rest.ts';

let mine: TestKey;
let account: string;

const rest = useRest();
beforeAll(async () => {
  mine = await rest.createTenant();
  account = await rest.insertAccount(mine.projectId);
});

function send(posts: unknown, idempotencyKey?: string): Promise<TestAnswer> {
  const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  return rest.call('POST', '/v1/posts/bulk', { key: mine.key, body: { posts }, headers });
}

const post = (caption: string, more: object = {}) => ({
  caption,
  account_ids: [account],
  ...more,
});

async function countPosts(caption: string): Promise<number> {
  const posts = await rest.context.db
    .selectFrom('posts')
    .select('id')
    .where('caption', 'like', `${caption}%`)
    .execute();
  return posts.length;
}

interface Item {
  status: number;
  post?: { id: string; caption: string };
  error?: { code: string };
}
const itemsOf = (answer: TestAnswer) => answer.body.data as Item[];
const idsOf = (answer: TestAnswer) => itemsOf(answer).map((item) => item.post?.id);

describe('POST /v1/posts/bulk', () => {
  test('answers each post in order, as creating it alone would', async () => {
    const answer = await send([
      post('now'),
      post('draft', { status: 'draft' }),
      { ...post('nowhere'), account_ids: [account, 'sa_unknown'] },
      post('later', { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }),
    ]);
    expect(answer.status).toBe(200);
    const [now, draft, refused, later] = itemsOf(answer);
    expect(now).toMatchObject({ status: 202, post: { caption: 'now', status: 'pending' } });
    expect(draft).toMatchObject({ status: 201, post: { status: 'draft' } });
    expect(later).toMatchObject({ status: 201, post: { status: 'scheduled' } });
    expect(refused).toEqual({
      status: 422,
      error: {
        code: 'validation_error',
        message: 'posts[2].account_ids[1]: No account has this ID.',
        is_retriable: false,
        issues: [
          {
            path: 'posts[2].account_ids[1]',
            field: 'posts[2].account_ids[1]',
            code: 'unknown_account',
            message: 'No account has this ID.',
            platform_post_index: 1,
            account_id: 'sa_unknown',
            platform: null,
            actual: null,
            limit: null,
            severity: 'error',
          },
        ],
        docs_url: 'http://fanfare.test/docs#error-validation_error',
      },
    });
    const read = await rest.call('GET', `/v1/posts/${now!.post!.id}`, { key: mine.key });
    expect(read.body.data).toEqual(now!.post);
    expect(await countPosts('nowhere')).toBe(0);
  });

  test('refuses a malformed post on its own', async () => {
    const answer = await send([post('formed'), { caption: 7, captoin: '' }, 5, post('formed too')]);
    expect(itemsOf(answer).map(({ status }) => status)).toEqual([202, 422, 422, 202]);
    expect(answer.body.data[1].error.issues).toMatchObject([
      { path: 'posts[1].caption', code: 'invalid_type' },
      { path: 'posts[1].captoin', code: 'unknown_field' },
    ]);
    expect(answer.body.data[2].error.issues).toMatchObject([
      { path: 'posts[2]', code: 'invalid_type' },
    ]);
  });

  test('refuses a post past the quota as if it were alone', async () => {
    const limited = await rest.createTenant();
    await rest.context.db
      .updateTable('projects')
      .set({ monthly_posts_per_account: 2 })
      .where('id', '=', limited.projectId)
      .execute();
    const only = await rest.insertAccount(limited.projectId);
    const posts = ['a', 'b', 'c'].map((caption) => ({ caption, account_ids: [only] }));
    const answer = await rest.call('POST', '/v1/posts/bulk', { key: limited.key, body: { posts } });
    expect(itemsOf(answer).map(({ status }) => status)).toEqual([202, 202, 403]);
    expect(answer.body.data[2].error).toMatchObject({
      code: 'quota_exceeded',
      issues: [{ path: 'posts[2].account_ids[0]' }],
    });
  });

  test.each([
    ['no posts', { posts: [] }, 'posts', 'too_small'],
    ['too many', { posts: Array.from({ length: 501 }, () => ({})) }, 'posts', 'too_big'],
    ['no list', { posts: {} }, 'posts', 'invalid_type'],
    ['nothing', {}, 'posts', 'required'],
    ['something else', { posts: [{}], post: {} }, 'post', 'unknown_field'],
  ])('refuses %s as a whole', async (_, body, path, code) => {
    const answer = await rest.call('POST', '/v1/posts/bulk', { key: mine.key, body });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path, code }]);
  });

  test('accepts five hundred posts', async () => {
    const captions = Array.from({ length: 500 }, (_, i) => `many ${i}`);
    const answer = await send(captions.map((caption) => post(caption)));
    expect(itemsOf(answer).map((item) => item.post?.caption)).toEqual(captions);
  });
});

describe('a repeat with the same Idempotency-Key', () => {
  test('gets the first answer again, including its refusals', async () => {
    const posts = [post('again'), { ...post('again'), account_ids: ['sa_unknown'] }];
    const first = await send(posts, 'again');
    const second = await send(posts, 'again');
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.body.data).toEqual(first.body.data);
    expect(await countPosts('again')).toBe(1);
  });

  test('is a conflict if its posts differ', async () => {
    await send([post('mine')], 'other');
    const answer = await send([post('not mine')], 'other');
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_conflict' } },
    });
    expect(await countPosts('not mine')).toBe(0);
  });

  test('creates the remaining posts after a crash in between', async () => {
    const posts = ['half 0', 'half 1', 'half 2'].map((caption) => post(caption));
    const first = await send(posts, 'half');
    await forgetKeys('half', 'posts[2]% half');
    await sql`delete from posts where caption = 'half 2'`.execute(rest.context.db);
    const second = await send(posts, 'half');
    expect(second.headers.get('Idempotency-Replayed')).toBeNull();
    expect(idsOf(second).slice(0, 2)).toEqual(idsOf(first).slice(0, 2));
    expect(second.body.data[2]).toMatchObject({ status: 202, post: { caption: 'half 2' } });
    expect(await countPosts('half')).toBe(3);
  });

  test('is a conflict if its posts differ, even after a crash in between', async () => {
    await send([post('left 0'), post('left 1')], 'left');
    await forgetKeys('left');
    const answer = await send([post('left 2'), post('left 3')], 'left');
    expect(answer.status).toBe(409);
    expect(await countPosts('left')).toBe(2);
  });

  test('retries posts that failed because of an unavailable backend', async () => {
    await breakPosts('poison');
    const posts = [post('well'), post('poison'), post('well too')];
    const first = await send(posts, 'trouble');
    expect(itemsOf(first)).toMatchObject([
      { status: 202 },
      { status: 503, error: { code: 'unavailable', is_retriable: true } },
      { status: 202 },
    ]);
    await sql`drop trigger breaks on posts`.execute(rest.context.db);
    const second = await send(posts, 'trouble');
    expect(itemsOf(second).map(({ status }) => status)).toEqual([202, 202, 202]);
    expect([idsOf(second)[0], idsOf(second)[2]]).toEqual([idsOf(first)[0], idsOf(first)[2]]);
    expect(await countPosts('well')).toBe(2);
    const third = await send(posts, 'trouble');
    expect(third.headers.get('Idempotency-Replayed')).toBe('true');
  });

  test('creates no second post if it is simultaneous', async () => {
    const posts = Array.from({ length: 5 }, (_, i) => post(`same ${i}`));
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(posts, 'same')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => idsOf(answer).join())).size).toBe(1);
    expect(await countPosts('same')).toBe(5);
  });
});

describe("a post's own key", () => {
  test('creates the post only once, even if several requests have it', async () => {
    const own = post('own', { idempotency_key: 'own-1' });
    const first = await send([own, post('beside own')]);
    const second = await send([post('beside own'), own], 'with-a-key');
    expect(second.body.data[1]).toEqual(first.body.data[0]);
    expect(await countPosts('own')).toBe(1);
  });

  test('is a conflict if it comes with a different post, and only that post is refused', async () => {
    await send([post('kept', { idempotency_key: 'own-2' })]);
    const answer = await send([post('kept not', { idempotency_key: 'own-2' }), post('beside')]);
    expect(itemsOf(answer)).toMatchObject([
      { status: 409, error: { code: 'idempotency_conflict' } },
      { status: 202 },
    ]);
    expect(await countPosts('kept')).toBe(1);
  });
});

async function forgetKeys(...patterns: string[]): Promise<void> {
  for (const pattern of patterns) {
    await rest.context.db.deleteFrom('idempotency_keys').where('key', 'like', pattern).execute();
  }
}

/** Postgres ends what writes this caption, as when it shuts down. */
async function breakPosts(caption: string): Promise<void> {
  const { db } = rest.context;
  await sql`create function breaks() returns trigger language plpgsql as $$
    begin raise 'going away' using errcode = '57P01'; end $$`.execute(db);
  await sql`create trigger breaks before insert on posts for each row
    when (new.caption = ${sql.lit(caption)}) execute function breaks()`.execute(db);
}
