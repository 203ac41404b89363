// The monthly count when a post is scheduled, moved, published now, canceled, deleted or retried.
import { describe, expect, test } from 'vitest';
import { startApp } from '../../support/app/app.ts';
import {
  createQuotaProject,
  inMonth,
  type QuotaProject,
} from '../../support/rows/quota-project.ts';
import { useRest } from '../../support/app/rest.ts';

const next = inMonth(1);
const later = inMonth(2);
const present = inMonth(0);

const rest = useRest();

const createProject = (options = {}) => createQuotaProject(rest, options);

/** The counts of the first account: of the present month, the next, and the one after. */
const counts = ({ published, ids }: QuotaProject, id = ids[0]) =>
  Promise.all([present, next, later].map(({ month }) => published(id, month)));

async function create(project: QuotaProject, body: object): Promise<string> {
  const answer = await project.post({ account_ids: project.ids, ...body });
  expect(answer.body.error).toBeUndefined();
  return answer.body.data.id;
}

describe('a draft', () => {
  test('counts while it is scheduled, but not once it is a draft again', async () => {
    const project = await createProject();
    const id = await create(project, { status: 'draft' });
    await project.call('PATCH', id, { scheduled_at: next.at });
    expect(await counts(project)).toEqual([0, 1, 0]);
    await project.call('PATCH', id, { status: 'draft' });
    expect(await counts(project)).toEqual([0, 0, 0]);
  });

  test('counts once it is published now, unless the limit is reached', async () => {
    const project = await createProject({ limit: 1 });
    const [first, second] = [
      await create(project, { status: 'draft' }),
      await create(project, { status: 'draft' }),
    ];
    expect((await project.call('POST', `${first}/publish`)).status).toBe(202);
    expect(await counts(project)).toEqual([1, 0, 0]);
    const refused = await project.call('POST', `${second}/publish`);
    expect(refused).toMatchObject({
      status: 403,
      body: {
        error: { code: 'quota_exceeded', issues: [{ path: 'platform_posts[0].account_id' }] },
      },
    });
    expect((await project.call('GET', second)).body.data.status).toBe('draft');
  });
});

describe('a scheduled post', () => {
  test('counts only in the month that it is moved to', async () => {
    const project = await createProject();
    const id = await create(project, { scheduled_at: next.at });
    const sameMonth = new Date(Date.parse(next.at) + 3_600_000).toISOString();
    await project.call('PATCH', id, { scheduled_at: sameMonth });
    expect(await counts(project)).toEqual([0, 1, 0]);
    await project.call('PATCH', id, { scheduled_at: later.at });
    expect(await counts(project)).toEqual([0, 0, 1]);
    await project.call('POST', `${id}/publish`);
    expect(await counts(project)).toEqual([1, 0, 0]);
  });

  test('stays in its month if the other month is full', async () => {
    const project = await createProject({ limit: 1 });
    const id = await create(project, { scheduled_at: next.at });
    await create(project, { scheduled_at: later.at });
    const refused = await project.call('PATCH', id, { scheduled_at: later.at });
    expect(refused.status).toBe(403);
    expect(refused.body.error.message).toContain(later.month);
    expect((await project.call('GET', id)).body.data.scheduled_at).toBe(next.at);
    expect(await counts(project)).toEqual([0, 1, 1]);
  });

  test('can have its targets replaced even if it alone fills the limit', async () => {
    const project = await createProject({ limit: 1, accounts: 2 });
    const [first, second] = project.ids;
    const id = await create(project, { account_ids: [first], scheduled_at: next.at });
    const both = await project.call('PATCH', id, { account_ids: [second, first] });
    expect(both.status).toBe(200);
    expect(await counts(project, second)).toEqual([0, 1, 0]);
    await project.call('PATCH', id, { account_ids: [second] });
    expect(await counts(project, first)).toEqual([0, 0, 0]);
    expect(await counts(project, second)).toEqual([0, 1, 0]);
  });

  test('refuses new targets past the limit with their path in the request', async () => {
    const project = await createProject({ limit: 1, accounts: 2 });
    const [first, second] = project.ids;
    const id = await create(project, { account_ids: [first], scheduled_at: next.at });
    await create(project, { account_ids: [second], scheduled_at: next.at });
    const { status, body } = await project.call('PATCH', id, { account_ids: [first, second] });
    expect(status).toBe(403);
    expect(body.error.issues).toMatchObject([{ path: 'account_ids[1]', actual: 2, limit: 1 }]);
    expect((await project.call('GET', id)).body.data.results).toHaveLength(1);
  });

  test.each([
    ['canceled', 'POST', '/cancel'],
    ['deleted', 'DELETE', ''],
  ])('is subtracted once if it is %s by several clients', async (_, method, path) => {
    const project = await createProject();
    const id = await create(project, { scheduled_at: next.at });
    await create(project, { scheduled_at: next.at });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => project.call(method, `${id}${path}`)),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(await counts(project)).toEqual([0, 1, 0]);
    await project.call('DELETE', id);
    expect(await counts(project)).toEqual([0, 1, 0]);
  });

  test('counts as its results say after simultaneous requests', async () => {
    const project = await createProject({ accounts: 3 });
    const posts = await Promise.all(
      [1, 2, 3, 4].map(() => create(project, { scheduled_at: next.at })),
    );
    const answers = await Promise.all(
      posts.flatMap((id) => [
        project.call('PATCH', id, { scheduled_at: later.at }),
        project.call('POST', `${id}/publish`),
        project.call('PATCH', id, { account_ids: project.ids.toReversed() }),
        project.call('POST', `${id}/cancel`),
        project.call('PATCH', id, { status: 'draft' }),
      ]),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    for (const id of project.ids) {
      const stored = await rest.context.db
        .selectFrom('post_results')
        .select('usage_month')
        .where('social_account_id', '=', id)
        .execute();
      const counted = [present, next, later].map(
        ({ month }) => stored.filter(({ usage_month }) => usage_month === month).length,
      );
      expect(await counts(project, id)).toEqual(counted);
    }
  });
});

describe('a post that is being published', () => {
  test('is subtracted from the count if it is canceled', async () => {
    const project = await createProject();
    const id = await create(project, {});
    expect((await project.call('POST', `${id}/cancel`)).body.data.status).toBe('canceled');
    expect(await counts(project)).toEqual([0, 0, 0]);
  });
});

describe('a thread', () => {
  test('counts each part, reports the excess parts, and counts no first comments', async () => {
    const project = await createProject({ limit: 3 });
    const part = (thread_position: number) => ({
      account_id: project.ids[0],
      caption: `Part ${thread_position}`,
      thread_position,
      first_comment: 'And more.',
    });
    const thread = { account_ids: undefined, platform_posts: [part(0), part(1)] };
    await create(project, thread);
    expect(await counts(project)).toEqual([2, 0, 0]);
    const refused = await project.post({ platform_posts: [part(0), part(1), part(2)] });
    expect(refused.body.error.issues).toMatchObject([
      { path: 'platform_posts[1].account_id', actual: 4 },
      { path: 'platform_posts[2].account_id', actual: 5 },
    ]);
  });
});

describe('a target that failed', () => {
  test('counts again when it is retried, unless the limit is reached', async () => {
    await using app = await startApp();
    const { api } = app;
    await api.patch('/v1/project', { monthly_posts_per_account: 1 });
    const account = await app.tenant.connectSandbox('ada');
    const post = async (platform_options = {}) => {
      const { id } = await app.tenant.createPost({
        caption: 'Hello',
        platform_posts: [{ account_id: account.id, platform_options }],
      });
      return app.tenant.waitForPost(id);
    };
    const published = async () =>
      (await api.get(`/v1/accounts/${account.id}/usage`)).body.data.published;

    const failed = await post({ outcome: 'rejected', times: 1 });
    expect(await published()).toBe(0);
    const path = `/v1/posts/${failed.id}/results/${failed.results[0]!.id}/retry`;
    await post();
    expect(await published()).toBe(1);
    expect((await api.post(path)).body.error.code).toBe('quota_exceeded');
    await api.patch('/v1/project', { monthly_posts_per_account: 2 });
    expect((await api.post(path)).status).toBe(202);
    expect((await app.tenant.waitForPost(failed.id)).status).toBe('published');
    expect(await published()).toBe(2);
  });
});
