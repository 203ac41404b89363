// The monthly limit of an account: the count, the refusals and the settings.
import { describe, expect, test } from 'vitest';
import { createQuotaProject, inMonth } from '../../support/rows/quota-project.ts';
import { createTestRest, useRest } from '../../support/app/rest.ts';

const rest = useRest({ FANFARE_MONTHLY_POSTS_PER_ACCOUNT: '6' });

const createProject = (options = {}) => createQuotaProject(rest, options);

async function countRows(projectId: string) {
  const { db } = rest.context;
  const [posts, events] = await Promise.all([
    db.selectFrom('posts').select('id').where('project_id', '=', projectId).execute(),
    db.selectFrom('changes').select('id').where('project_id', '=', projectId).execute(),
  ]);
  return { posts: posts.length, changes: events.length };
}

describe('the count of a month', () => {
  test('includes every target of a post that is published now', async () => {
    const { ids, post, published } = await createProject({ accounts: 2 });
    await post({ account_ids: ids });
    await post({ platform_posts: [{ account_id: ids[0] }] });
    expect(await published(ids[0])).toBe(2);
    expect(await published(ids[1]!)).toBe(1);
  });

  test('includes a scheduled post in the month of its time', async () => {
    const { ids, post, published } = await createProject();
    const { at, month } = inMonth(2);
    expect((await post({ account_ids: ids, scheduled_at: at })).status).toBe(201);
    expect(await published(ids[0])).toBe(0);
    expect(await published(ids[0], month)).toBe(1);
  });

  test('includes no draft', async () => {
    const { ids, post, published } = await createProject();
    const { at, month } = inMonth(2);
    await post({ account_ids: ids, status: 'draft' });
    await post({ account_ids: ids, status: 'draft', scheduled_at: at });
    expect(await published(ids[0])).toBe(0);
    expect(await published(ids[0], month)).toBe(0);
  });

  test('includes a request once, even if it is repeated with its key', async () => {
    const { ids, post, published } = await createProject({ limit: 1 });
    const headers = { 'Idempotency-Key': 'once' };
    const answers = await Promise.all([1, 2, 3].map(() => post({ account_ids: ids }, headers)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(await published(ids[0])).toBe(1);
  });
});

describe('a post past the limit', () => {
  test('is refused completely, with the account, the limit and the month', async () => {
    const { projectId, ids, post, published } = await createProject({ limit: 2, accounts: 3 });
    await post({ account_ids: [ids[1]] });
    await post({ account_ids: [ids[1]] });
    const before = await countRows(projectId);
    const answer = await post({ account_ids: ids });
    const month = new Date().toISOString().slice(0, 7);
    expect(answer).toMatchObject({
      status: 403,
      body: {
        error: {
          code: 'quota_exceeded',
          message: `${ids[1]} may publish 2 targets in ${month}; this is number 3.`,
          is_retriable: false,
          issues: [{ path: 'account_ids[1]', code: 'quota_exceeded', actual: 3, limit: 2 }],
        },
      },
    });
    expect(await countRows(projectId)).toEqual(before);
    const counts = await Promise.all(ids.map((id) => published(id)));
    expect(counts).toEqual([0, 2, 0]);
  });

  test('reports every account that is past its limit, in the order of the request', async () => {
    const { ids, post } = await createProject({ limit: 1, accounts: 3 });
    await post({ account_ids: [ids[0], ids[2]] });
    const targets = ids.toReversed().map((account_id) => ({ account_id }));
    const { body } = await post({ platform_posts: targets });
    expect(body.error.message).toContain('(and 1 more)');
    expect(body.error.issues).toMatchObject([
      { path: 'platform_posts[0].account_id', message: expect.stringContaining(ids[2]!) },
      { path: 'platform_posts[2].account_id', message: expect.stringContaining(ids[0]) },
    ]);
  });

  test('can be published in another month', async () => {
    const { ids, post } = await createProject({ limit: 1 });
    const { at, month } = inMonth(1);
    await post({ account_ids: ids });
    expect((await post({ account_ids: ids, scheduled_at: at })).status).toBe(201);
    const refused = await post({ account_ids: ids, scheduled_at: at });
    expect(refused.status).toBe(403);
    expect(refused.body.error.message).toContain(month);
  });

  test('is refused after the limit is lowered below the count', async () => {
    const { ids, post, setLimit } = await createProject({ limit: 3 });
    await post({ account_ids: ids });
    await post({ account_ids: ids });
    await setLimit(1);
    const { body } = await post({ account_ids: ids });
    expect(body.error.issues).toMatchObject([{ actual: 3, limit: 1 }]);
    await setLimit(3);
    expect((await post({ account_ids: ids })).status).toBe(202);
  });

  test('is refused among simultaneous posts, of which only as many as the limit allows are accepted', async () => {
    const { ids, post, published } = await createProject({ limit: 7 });
    await post({ account_ids: ids });
    await post({ account_ids: ids });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({ account_ids: ids })));
    const counted = Map.groupBy(answers, ({ status }) => status);
    expect(counted.get(202)).toHaveLength(5);
    expect(counted.get(403)).toHaveLength(15);
    expect(await published(ids[0])).toBe(7);
  });
});

describe('simultaneous posts', () => {
  test('cause no deadlock, in any order of their accounts', async () => {
    const { ids, post, published } = await createProject({ limit: 40, accounts: 6 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const rotated = [...ids.slice(i % 6), ...ids.slice(0, i % 6)];
        return post({ account_ids: i % 2 ? rotated : rotated.toReversed() });
      }),
    );
    expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
    expect(await Promise.all(ids.map((id) => published(id)))).toEqual(ids.map(() => 40));
  });
});

describe('the limit', () => {
  test("is the installation's if the project sets no limit", async () => {
    const { key, ids, usage, setLimit } = await createProject();
    const limits = await rest.call('GET', '/v1/limits', { key });
    expect(limits.body.data.posts_per_account_and_month).toBe(6);
    expect(await usage(ids[0])).toMatchObject({ limit: 6, warning_at: 5 });
    await setLimit(100);
    expect(await usage(ids[0])).toMatchObject({ limit: 100, warning_at: 80 });
    await setLimit(null);
    expect(await usage(ids[0])).toMatchObject({ limit: 6 });
  });

  test('is off if the project sets 0, and usage is still counted', async () => {
    const { key, ids, post, usage } = await createProject({ limit: 0 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ account_ids: ids })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202));
    expect(await usage(ids[0])).toMatchObject({
      published: 8,
      limit: null,
      warning_at: null,
      warned_at: null,
    });
    const limits = await rest.call('GET', '/v1/limits', { key });
    expect(limits.body.data.posts_per_account_and_month).toBeNull();
  });

  test('is off if neither the installation nor the project sets a limit', async () => {
    await using unlimited = await createTestRest({ FANFARE_MONTHLY_POSTS_PER_ACCOUNT: '0' });
    const { key } = await unlimited.createTenant();
    const { body } = await unlimited.call('GET', '/v1/limits', { key });
    expect(body.data.posts_per_account_and_month).toBeNull();
  });
});
