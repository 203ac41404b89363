// How much of its limit an account has used, over REST and GraphQL, and what is given back.
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp();

const usageOf = async (id: string, query = '') => app.api.get(`/v1/accounts/${id}/usage${query}`);
const thisMonth = () => new Date().toISOString().slice(0, 7);

describe('GET /v1/accounts/:id/usage', () => {
  test('shows the month, the count, the limit and the times of the warning and of the limit', async () => {
    const account = await app.tenant.connectSandbox('ada');
    expect((await usageOf(account.id)).body.data).toEqual({
      month: thisMonth(),
      published: 0,
      limit: 1_000,
      warning_at: 800,
      warned_at: null,
      exceeded_at: null,
    });
    const limited = await app.createTenant();
    const mine = await limited.connectSandbox('ada');
    await limited.api.patch('/v1/project', { monthly_posts_per_account: 1 });
    await limited.createPost({ caption: 'Hello', account_ids: [mine.id] });
    const { body } = await limited.api.get(`/v1/accounts/${mine.id}/usage?month=${thisMonth()}`);
    expect(body.data).toEqual({
      month: thisMonth(),
      published: 1,
      limit: 1,
      warning_at: 1,
      warned_at: expect.stringMatching(/Z$/),
      exceeded_at: expect.stringMatching(/Z$/),
    });
  });

  test('shows a month in which nothing was published', async () => {
    const account = await app.tenant.connectSandbox('ada');
    const { body } = await usageOf(account.id, '?month=1999-12');
    expect(body.data).toMatchObject({ month: '1999-12', published: 0 });
  });

  test.each(['2026-13', '2026-1', '2026', 'now', ''])('refuses the month %o', async (month) => {
    const account = await app.tenant.connectSandbox('ada');
    const answer = await usageOf(account.id, `?month=${month}`);
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path: 'month' }]);
  });

  test('is 404 for an account of another project, and for an unknown account', async () => {
    const other = await app.createTenant();
    const account = await other.connectSandbox('ada');
    expect((await usageOf(account.id)).status).toBe(404);
    expect((await usageOf('sa_none')).status).toBe(404);
  });
});

describe('Account.usage', () => {
  const query = `query ($id: ID!, $month: String) {
    account(id: $id) { usage(month: $month) { month published limit warningAt warnedAt exceededAt } }
  }`;

  test('shows the same as REST', async () => {
    const account = await app.tenant.connectSandbox('grace');
    await app.tenant.createPost({ caption: 'Hello', account_ids: [account.id] });
    const { account: shown } = await ask(app, query, { id: account.id });
    expect(shown.usage).toEqual({
      month: thisMonth(),
      published: 1,
      limit: 1_000,
      warningAt: 800,
      warnedAt: null,
      exceededAt: null,
    });
    const earlier = await ask(app, query, { id: account.id, month: '2000-01' });
    expect(earlier.account.usage).toMatchObject({ month: '2000-01', published: 0 });
  });

  test('refuses an invalid month', async () => {
    const account = await app.tenant.connectSandbox('grace');
    const refused = await askRefused(app, query, { id: account.id, month: 'May' });
    expect(refused).toMatchObject({ code: 'validation_error', issues: [{ path: 'month' }] });
  });
});

describe('the usage of a month', () => {
  test('is reduced for the targets that failed, and for no others', async () => {
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map((handle) => app.tenant.connectSandbox(`${handle}-given-back`)),
    );
    const { id } = await app.tenant.createPost({
      caption: 'Hello',
      platform_posts: [
        { account_id: ada!.id },
        { account_id: bob!.id, platform_options: { outcome: 'rejected' } },
      ],
    });
    expect((await app.tenant.waitForPost(id)).status).toBe('partial');
    expect((await usageOf(ada!.id)).body.data.published).toBe(1);
    expect((await usageOf(bob!.id)).body.data.published).toBe(0);
  });
});
