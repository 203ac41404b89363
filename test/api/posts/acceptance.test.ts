// The acceptance of a post: how many statements it takes, and what the statement writes together.
import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { type TestAnswer, type TestKey, useRest } from '../../support/app/rest.ts';
import { addImage } from '../../support/rows/media.ts';
import { inSeconds } from '../../support/rows/posts.ts';
import { createQuotaProject } from '../../support/rows/quota-project.ts';
import { statementsOf } from '../../support/rows/statements.ts';

const rest = useRest({ FANFARE_MONTHLY_POSTS_PER_ACCOUNT: '1000' });
let tenant: TestKey;
let account: string;
let other: string;
beforeAll(async () => {
  tenant = await rest.createTenant();
  account = await rest.insertAccount(tenant.projectId, { platform: 'sandbox' });
  other = await rest.insertAccount(tenant.projectId, { platform: 'sandbox' });
});

const scheduled_at = inSeconds(86_400);
let sent = 0;
const content = () => ({ caption: `post ${++sent}`, account_ids: [account], scheduled_at });

function create(body: object, idempotencyKey?: string, path = '/v1/posts'): Promise<TestAnswer> {
  const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  return rest.call('POST', path, { key: tenant.key, body, headers });
}

/** Everything that the acceptance of a post writes. */
async function countRows() {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*)::int from posts) as posts,
    (select count(*)::int from post_results) as results,
    (select count(*)::int from outbox) as outbox,
    (select count(*)::int from changes) as changes,
    (select count(*)::int from events) as events,
    (select count(*)::int from idempotency_keys) as keys,
    (select coalesce(sum(published), 0)::int from account_usage) as published`.execute(
    rest.context.db,
  );
  return rows[0]!;
}

/** Posts share the notifications, which are sent at most every 25 ms, and the API key, which is cached. */
const shared = /set_config|pg_notify|^listen|"api_keys"/i;
const statements = (work: () => Promise<unknown>) => statementsOf(work, shared);

describe('an accepted post takes two statements', () => {
  test.each<[string, () => Promise<TestAnswer>]>([
    ['without a key', () => create(content())],
    ['with a key', () => create(content(), `key ${sent}`)],
    ['in bulk', () => create({ posts: [content()] }, undefined, '/v1/posts/bulk')],
    [
      'in bulk, with a key of its own',
      () => {
        const post = { ...content(), idempotency_key: `key ${sent}` };
        return create({ posts: [post] }, undefined, '/v1/posts/bulk');
      },
    ],
  ])('%s', async (_, work) => {
    const before = await countRows();
    const texts = await statements(async () => {
      expect((await work()).body).not.toHaveProperty('error');
    });
    expect(texts).toEqual([
      expect.stringContaining('from "social_accounts"'),
      expect.stringContaining('insert into posts'),
    ]);
    expect((await countRows()).posts).toBe(before.posts! + 1);
  });
});

describe('the answer', () => {
  const shapes: [string, () => Promise<object>][] = [
    ['a scheduled post', () => Promise.resolve(content())],
    ['a post that is published now', () => Promise.resolve({ ...content(), scheduled_at: null })],
    ['a draft', () => Promise.resolve({ ...content(), status: 'draft', media_urls: [photo] })],
    [
      'metadata and a deadline',
      () =>
        Promise.resolve({
          ...content(),
          publish_by: inSeconds(90_000),
          metadata: { longer: 'b', a: 'Grüße 🎉' },
          auto_fit: false,
        }),
    ],
    [
      'a thread with first comments',
      () =>
        Promise.resolve({
          caption: 'thread',
          platform_posts: [0, 1].map((thread_position) => ({
            account_id: account,
            thread_position,
            caption: `part ${thread_position}`,
            first_comment: 'first',
          })),
        }),
    ],
    [
      'media by URL, once for the post and for a target',
      () =>
        Promise.resolve({
          caption: 'URLs',
          scheduled_at,
          media_urls: [photo, `${photo}?2`],
          platform_posts: [{ account_id: account }, { account_id: other, media_urls: [photo] }],
        }),
    ],
    [
      'stored media',
      async () => {
        const id = await addImage(rest.context.db, tenant.projectId);
        return { ...content(), media: [{ id, alt_text: 'alt' }] };
      },
    ],
  ];
  const photo = 'https://media.test/a.jpg';

  test.each(shapes)('is the post that is stored: %s', async (name, make) => {
    const body = await make();
    const { body: made } = await create(body, name);
    const { body: read } = await rest.call('GET', `/v1/posts/${made.data.id}`, { key: tenant.key });
    expect(read.data).toEqual(made.data);
    const before = await countRows();
    const repeat = await create(body, name);
    expect(repeat.headers.get('Idempotency-Replayed')).toBe('true');
    expect(JSON.stringify(repeat.body.data)).toBe(JSON.stringify(made.data));
    expect(await countRows()).toEqual(before);
  });

  test('names media by URL by the IDs of the media that are fetched', async () => {
    const { body } = await create({ ...content(), media_urls: [photo, `${photo}?2`, photo] });
    const ids = body.data.media.map(({ id }: { id: string }) => id);
    expect(ids[2]).toBe(ids[0]);
    const rows = await rest.context.db
      .selectFrom('media')
      .select(['id', 'url', 'status'])
      .where('id', 'in', ids)
      .orderBy('url')
      .execute();
    expect(rows).toEqual([
      { id: ids[0], url: photo, status: 'pending' },
      { id: ids[1], url: `${photo}?2`, status: 'pending' },
    ]);
  });
});

describe('a key', () => {
  test('is taken by one of twenty simultaneous posts, of which the others get its answer', async () => {
    const before = await countRows();
    const body = content();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(body, 'twenty')));
    const texts = new Set(answers.map((answer) => JSON.stringify(answer.body.data)));
    expect(texts.size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    const more = { posts: 1, results: 1, outbox: 1, changes: 1, keys: 1, published: 1 };
    const after = { ...before };
    for (const [name, count] of Object.entries(more)) after[name]! += count;
    expect(await countRows()).toEqual(after);
  });

  test('of another post is a conflict, also at the same time, and nothing is written', async () => {
    const bodies = [content(), content()];
    const answers = await Promise.all(bodies.map((body) => create(body, 'two')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const before = await countRows();
    const refused = await create(content(), 'two');
    expect(refused.body.error).toMatchObject({ code: 'idempotency_conflict' });
    expect(await countRows()).toEqual(before);
  });

  test('can be used again after a day', async () => {
    const first = await create(content(), 'a day');
    await sql`update idempotency_keys set created_at = now() - interval '24 hours'
      where key = 'a day'`.execute(rest.context.db);
    const body = content();
    const second = await create(body, 'a day');
    expect(second.status).toBe(201);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    expect((await create(body, 'a day')).body.data).toEqual(second.body.data);
  });

  test('is free after its statement has failed, and so is everything else', async () => {
    const { db } = rest.context;
    const before = await countRows();
    const body = content();
    await sql`alter table account_usage add constraint fails check (published < 0) not valid`.execute(
      db,
    );
    const failed = await create(body, 'failed');
    await sql`alter table account_usage drop constraint fails`.execute(db);
    expect(failed.status).toBe(500);
    expect(await countRows()).toEqual(before);
    expect((await create(body, 'failed')).status).toBe(201);
  });
});

describe('the monthly limit', () => {
  const newsOf = async (projectId: string) => {
    const { db } = rest.context;
    const ofAccounts = db.selectFrom('changes').select('kind').where('subject', '=', 'account');
    const rows = await ofAccounts.where('project_id', '=', projectId).orderBy('id').execute();
    return rows.map(({ kind }) => kind);
  };

  test('below the warning costs no further statement; the warning is sent once', async () => {
    const { projectId, ids, post } = await createQuotaProject(rest, { limit: 10 });
    const counts = [];
    for (let i = 0; i < 10; i++) {
      const key = { 'Idempotency-Key': `limit ${i}` };
      const texts = await statements(() => post({ account_ids: ids, caption: `${i}` }, key));
      counts.push(texts.length);
    }
    // The eighth post triggers the warning, and the tenth reaches the limit.
    expect(counts.map((count) => count === 2)).toEqual([
      ...Array.from({ length: 7 }, () => true),
      false,
      true,
      false,
    ]);
    expect(await newsOf(projectId)).toEqual(['quota_warning', 'quota_exceeded']);
  });

  test('refuses a post completely, and its key can be used once the limit is raised', async () => {
    const { ids, post, setLimit } = await createQuotaProject(rest, { limit: 1, accounts: 2 });
    await post({ account_ids: [ids[1]] });
    const before = await countRows();
    const key = { 'Idempotency-Key': 'refused' };
    const refused = await post({ account_ids: ids }, key);
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({
      code: 'quota_exceeded',
      issues: [{ path: 'account_ids[1]', actual: 2, limit: 1 }],
    });
    expect(await countRows()).toEqual(before);
    await setLimit(5);
    expect((await post({ account_ids: ids }, key)).status).toBe(202);
  });
});
