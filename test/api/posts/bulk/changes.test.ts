// Canceling, deleting and updating several posts in one request: each on its own, and once even if repeated.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Post } from '../../../../schema/posts/posts.ts';
import { newId } from '../../../../schema/wire/ids.ts';
import { type TestAnswer, type TestKey, useRest } from '../../../support/app/rest.ts';
import { changesOf, inSeconds } from '../../../support/rows/posts.ts';

let mine: TestKey;
let account: string;

const rest = useRest();
beforeAll(async () => {
  mine = await rest.createTenant();
  account = await rest.insertAccount(mine.projectId);
});

async function create(more: object = { status: 'draft' }, key = mine.key): Promise<Post> {
  const body = { caption: 'hello', account_ids: [account], ...more };
  const answer = await rest.call('POST', '/v1/posts', { key, body });
  return answer.body.data;
}

const createDrafts = async (count: number) => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await create()).id);
  return ids;
};

type Verb = 'cancel' | 'delete' | 'update';

function send(verb: Verb, body: object, idempotencyKey?: string, key = mine.key) {
  const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  return rest.call('POST', `/v1/posts/bulk/${verb}`, { key, body, headers });
}

const statusesOf = ({ body }: TestAnswer) =>
  (body.data as { status: number }[]).map(({ status }) => status);
const read = async (id: string): Promise<TestAnswer> =>
  rest.call('GET', `/v1/posts/${id}`, { key: mine.key });
/** The body that names these posts. */
const naming = (verb: Verb, ids: string[]) =>
  verb === 'update' ? { posts: ids.map((id) => ({ id, caption: 'new' })) } : { ids };
const verbs: Verb[] = ['cancel', 'delete', 'update'];

describe('POST /v1/posts/bulk/cancel', () => {
  test('answers each ID in order, as canceling it alone would', async () => {
    const [draft, scheduled, canceled] = [
      await create(),
      await create({ scheduled_at: inSeconds(3_600) }),
      await create(),
    ];
    await rest.call('POST', `/v1/posts/${canceled.id}/cancel`, { key: mine.key });
    const answer = await send('cancel', {
      ids: [draft.id, 'post_unknown', canceled.id, scheduled.id],
    });
    expect(answer.status).toBe(200);
    expect(statusesOf(answer)).toEqual([200, 404, 409, 200]);
    const [first, unknown, conflict, last] = answer.body.data;
    expect(first).toEqual({ status: 200, post: (await read(draft.id)).body.data });
    expect(first.post.status).toBe('canceled');
    expect(unknown).toMatchObject({ status: 404, error: { code: 'not_found' } });
    expect(conflict).toMatchObject({ error: { code: 'conflict', post_status: 'canceled' } });
    expect(last).toMatchObject({ post: { id: scheduled.id, status: 'canceled' } });
  });
});

test('500 posts are canceled in one request', { timeout: 60_000 }, async () => {
  const { projectId } = mine;
  const ids = Array.from({ length: 500 }, () => newId('post'));
  await sql`insert into posts (id, project_id, environment, caption, status)
    select id, ${projectId}, 'production', 'many', 'draft' from unnest(${ids}::text[]) as id`.execute(
    rest.context.db,
  );
  const answer = await send('cancel', { ids });
  expect(answer.body.data.map((item: { post?: Post }) => item.post?.id)).toEqual(ids);
  expect(new Set(statusesOf(answer))).toEqual(new Set([200]));
});

describe('POST /v1/posts/bulk/delete', () => {
  test('answers each ID without a post, and deletes what it can', async () => {
    const [draft, pending] = [await create(), await create({})];
    const answer = await send('delete', { ids: [draft.id, pending.id, draft.id] });
    expect(answer.body.data).toMatchObject([
      { status: 204 },
      { status: 409, error: { code: 'conflict', post_status: 'pending' } },
      { status: 404, error: { code: 'not_found' } },
    ]);
    expect(answer.body.data[0]).toEqual({ status: 204 });
    expect((await read(draft.id)).status).toBe(404);
    expect((await read(pending.id)).status).toBe(200);
  });

  test('removes published targets first if asked to', async () => {
    const post = await create();
    const { db } = rest.context;
    const published = { status: 'published', external_id: 'at://x/app.bsky.feed.post/y' } as const;
    await db.updateTable('posts').set({ status: 'published' }).where('id', '=', post.id).execute();
    const ofPost = db.updateTable('post_results').where('post_id', '=', post.id);
    await ofPost.set(published).execute();
    const answer = await send('delete', { ids: [post.id], unpublish: true });
    expect(answer.body.data).toEqual([{ status: 202 }]);
    expect((await read(post.id)).body.data.results[0].changes).toMatchObject([
      { type: 'unpublish', status: 'pending', actor: { type: 'key', id: mine.keyId } },
    ]);
  });
});

describe('POST /v1/posts/bulk/update', () => {
  test('answers each post in order, as changing it alone would', async () => {
    const [first, second, later] = [
      await create(),
      await create(),
      await create({ scheduled_at: inSeconds(3_600) }),
    ];
    const answer = await send('update', {
      posts: [
        { id: first.id, caption: 'changed', metadata: { a: '1' } },
        { id: second.id, account_ids: [account, 'sa_unknown'] },
        { id: later.id, scheduled_at: null },
        { id: 'post_unknown', caption: 'x' },
      ],
    });
    expect(statusesOf(answer)).toEqual([200, 422, 200, 404]);
    expect(answer.body.data[0]).toEqual({
      status: 200,
      post: (await read(first.id)).body.data,
      warnings: [],
    });
    expect(answer.body.data[1].error).toMatchObject({
      message: 'posts[1].account_ids[1]: No account has this ID.',
      issues: [{ path: 'posts[1].account_ids[1]', code: 'unknown_account' }],
    });
    expect(answer.body.data[2].post).toMatchObject({ status: 'draft', scheduled_at: null });
    expect((await read(first.id)).body.data).toMatchObject({
      caption: 'changed',
      metadata: { a: '1' },
    });
    expect(await changesOf(rest, second.id)).toEqual(['created']);
  });

  test('refuses a malformed item on its own', async () => {
    const { id } = await create();
    const answer = await send('update', {
      posts: [{ id }, { caption: 'x' }, 7, { id, captoin: 'x' }, { id, caption: 'well' }],
    });
    expect(statusesOf(answer)).toEqual([422, 422, 422, 422, 200]);
    const issues = answer.body.data
      .slice(0, 4)
      .flatMap((item: { error: { issues: object[] } }) => item.error.issues);
    expect(issues).toMatchObject([
      { path: 'posts[0]', code: 'nothing_to_change' },
      { path: 'posts[1].id', code: 'required' },
      { path: 'posts[2]', code: 'invalid_type' },
      { path: 'posts[3].captoin', code: 'unknown_field' },
    ]);
  });

  test('changes a post as often as it is named, in order', async () => {
    const { id } = await create();
    const answer = await send('update', {
      posts: ['one', 'two'].map((caption) => ({ id, caption })),
    });
    expect(statusesOf(answer)).toEqual([200, 200]);
    expect((await read(id)).body.data.caption).toBe('two');
  });

  test('leaves out a null list or map, as a change of one post does', async () => {
    const { id } = await create({ status: 'draft', metadata: { a: '1' } });
    const changes = { caption: 'b', account_ids: null, metadata: null };
    const answer = await send('update', { posts: [{ id, ...changes }] });
    expect(answer.body.data[0].post).toMatchObject({ caption: 'b', metadata: { a: '1' } });
    expect(answer.body.data[0].post.results).toHaveLength(1);
  });
});

describe.each(verbs)('POST /v1/posts/bulk/%s', (verb) => {
  const list = verb === 'update' ? 'posts' : 'ids';

  test.each([
    ['an empty list', { [list]: [] }, list, 'too_small'],
    [
      '501 items',
      naming(
        verb,
        Array.from({ length: 501 }, () => 'post_x'),
      ),
      list,
      'too_big',
    ],
    ['no list', {}, list, 'required'],
    ['another member', { ...naming(verb, ['post_x']), more: 1 }, 'more', 'unknown_field'],
  ])('refuses %s as a whole', async (_, body, path, code) => {
    const answer = await send(verb, body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path, code }]);
  });

  test('answers 404 for each post of another project', async () => {
    const other = await rest.createTenant();
    const { id } = await create();
    const answer = await send(verb, naming(verb, [id]), undefined, other.key);
    expect(statusesOf(answer)).toEqual([404]);
    expect(await changesOf(rest, id)).toEqual(['created']);
  });

  test('answers 404 for each post of production if the key is a test key', async () => {
    const { projectId } = mine;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const sandbox = await rest.insertAccount(projectId, { platform: 'sandbox' });
    const ofTest = await create({ status: 'draft', account_ids: [sandbox] });
    const ofProduction = await create();
    const answer = await send(verb, naming(verb, [ofProduction.id, ofTest.id]), undefined, key);
    expect(statusesOf(answer)).toEqual([404, verb === 'delete' ? 204 : 200]);
    expect(await changesOf(rest, ofProduction.id)).toEqual(['created']);
  });

  test('needs the scope posts:write', async () => {
    const { key } = await rest.createTenant({ projectId: mine.projectId, scopes: ['posts:read'] });
    const answer = await send(verb, naming(verb, [(await create()).id]), undefined, key);
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { required_scope: 'posts:write' } },
    });
  });

  test('records each change as one by the key', async () => {
    const ids = await createDrafts(2);
    await send(verb, naming(verb, ids));
    const kind = { cancel: 'canceled', delete: 'deleted', update: 'updated' }[verb];
    const rows = await rest.context.db
      .selectFrom('changes')
      .select('actor')
      .where('subject_id', 'in', ids)
      .where('kind', '=', kind)
      .execute();
    const actor = { type: 'key', id: mine.keyId, name: 'test' };
    expect(rows).toEqual([{ actor }, { actor }]);
  });

  test('a repeat with the same Idempotency-Key gets the first answer again', async () => {
    const body = naming(verb, await createDrafts(2));
    const first = await send(verb, body, `again ${verb}`);
    const second = await send(verb, body, `again ${verb}`);
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.body.data).toEqual(first.body.data);
    const conflict = await send(verb, naming(verb, ['post_x']), `again ${verb}`);
    expect(conflict).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_conflict' } },
    });
  });

  test('a repeat after a lost backend gets the first answer of each item, and does the rest', async () => {
    const ids = await createDrafts(3);
    await using broken = await breakPost(ids[1]!);
    const first = await send(verb, naming(verb, ids), `half ${verb}`);
    const done = verb === 'delete' ? 204 : 200;
    expect(statusesOf(first)).toEqual([done, 503, done]);
    await broken.repair();
    const second = await send(verb, naming(verb, ids), `half ${verb}`);
    expect(second.headers.get('Idempotency-Replayed')).toBeNull();
    expect(statusesOf(second)).toEqual([done, done, done]);
    expect([second.body.data[0], second.body.data[2]]).toEqual([
      first.body.data[0],
      first.body.data[2],
    ]);
    const third = await send(verb, naming(verb, ids), `half ${verb}`);
    expect(third.headers.get('Idempotency-Replayed')).toBe('true');
    for (const id of ids) expect(await changesOf(rest, id)).toHaveLength(2);
  });
});

/** Postgres ends what writes this post, as when it shuts down. */
async function breakPost(id: string) {
  const { db } = rest.context;
  await sql`create or replace function breaks() returns trigger language plpgsql as $$
    begin raise 'going away' using errcode = '57P01'; end $$`.execute(db);
  await sql`create trigger breaks before update or delete on posts for each row
    when (old.id = ${sql.lit(id)}) execute function breaks()`.execute(db);
  const repair = async () => void (await sql`drop trigger if exists breaks on posts`.execute(db));
  return { repair, [Symbol.asyncDispose]: repair };
}
