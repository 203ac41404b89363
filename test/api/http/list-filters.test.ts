// The filters of lists. A filter without a value is refused instead of ignored.
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { askRefused } from '../../support/graphql/graphql.ts';

let webhookId: string;

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  const account = await app.tenant.connectSandbox('ada', { external_user_id: 'user-1' });
  await app.tenant.createPost({ caption: 'a', account_ids: [account.id], status: 'draft' });
  webhookId = (await app.tenant.createWebhook('https://example.com/hook')).id;
});

const faultsOf = (body: { error: { issues: { path: string }[] } }) =>
  body.error.issues.map(({ path }) => path);

const lists: [list: string, filters: string[]][] = [
  [
    '/v1/posts',
    [
      ['status', 'platform', 'account_id', 'social_account_id', 'external_user_id', 'label', 'q'],
      ['metadata', 'from', 'to', 'created_from', 'created_to', 'scheduled_from', 'scheduled_to'],
      ['published_from', 'published_to', 'order', 'include', 'cursor'],
    ].flat(),
  ],
  ['/v1/accounts', ['platform', 'external_user_id', 'status', 'cursor', 'limit']],
  ['/v1/labels', ['cursor', 'limit']],
  ['/v1/events', ['event', 'from', 'to', 'since', 'until', 'test', 'cursor']],
  ['/v1/deliveries', ['status', 'event', 'from', 'to', 'since', 'until', 'cursor']],
  ['/v1/webhooks/:id/deliveries', ['status', 'event', 'from', 'to', 'since', 'until', 'cursor']],
];

describe('a filter without a value', () => {
  test.each(lists.flatMap(([list, filters]) => filters.map((filter) => [list, filter] as const)))(
    'is refused: %s?%s=',
    async (list, filter) => {
      const { status, body } = await app.api.get(`${list.replace(':id', webhookId)}?${filter}=`);
      expect(status).toBe(422);
      expect(faultsOf(body)).toEqual([filter]);
    },
  );

  test('is refused beside a filter that has a value', async () => {
    const { status, body } = await app.api.get(
      '/v1/posts?social_account_id=&external_user_id=user-2',
    );
    expect(status).toBe(422);
    expect(faultsOf(body)).toEqual(['social_account_id']);
  });

  test.each([
    ['posts(externalUserId: "")', 'externalUserId'],
    ['posts(socialAccountId: "", externalUserId: "user-2")', 'socialAccountId'],
    ['accounts(externalUserId: "")', 'externalUserId'],
    ['posts(after: "")', 'after'],
  ])('is refused in GraphQL: %s', async (field, path) => {
    const refused = await askRefused(app, `{ ${field} { nodes { id } } }`);
    expect(refused).toMatchObject({ code: 'validation_error', issues: [{ path }] });
  });
});

describe('filters together', () => {
  test.each([
    ['external_user_id=user-1', 1],
    ['external_user_id=user-2', 0],
    ['external_user_id=user-1&platform=sandbox', 1],
    ['external_user_id=user-1&platform=bluesky', 0],
    ['social_account_id=sa_none&external_user_id=user-1', 0],
  ])('/v1/posts?%s has %i', async (query, count) => {
    expect((await app.api.get(`/v1/posts?${query}`)).body.data).toHaveLength(count);
  });
});
