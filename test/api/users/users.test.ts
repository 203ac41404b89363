// Users: the owners of accounts, with counts.
import { expect, test } from 'vitest';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';

const rest = useRest();
const tenant = forEachTest(() => rest.createTenant());

const add = (external_user_id: string | null, columns: Partial<SocialAccountRow> = {}) =>
  rest.insertAccount(tenant.projectId, { external_user_id, ...columns });
const get = async (path: string, key = tenant.key) => (await rest.call('GET', path, { key })).body;

const ada = { external_user_id: 'ada' };

test('a user has the counts of their accounts', async () => {
  await add('ada', { external_user_email: 'old@example.com' });
  await add('ada', { platform: 'mastodon', status: 'reconnect_required' });
  await add('ada', { platform: 'mastodon', external_user_email: 'new@example.com' });
  const newest = await add('ada', { platform: 'slack', status: 'disconnected' });
  await add(null);
  const expected = {
    ...ada,
    external_user_email: 'new@example.com',
    account_count: 3,
    reconnect_count: 1,
    platforms: [
      { platform: 'bluesky', account_count: 1 },
      { platform: 'mastodon', account_count: 2 },
    ],
    newest_account_id: newest,
  };
  expect((await get('/v1/users/ada')).data).toEqual(expected);
  expect((await get('/v1/users')).data).toEqual([expected]);
});

test('users are listed by their newest account, in pages', async () => {
  await add('ada');
  await add('bob');
  await add('cy', { status: 'disconnected' });
  await add('ada');
  const first = await get('/v1/users?limit=2');
  const ids = ({ data }: typeof first) =>
    data.map(({ external_user_id: id }: { external_user_id: string }) => id);
  expect(ids(first)).toEqual(['ada', 'cy']);
  const second = await get(`/v1/users?limit=2&cursor=${first.meta.next_cursor}`);
  expect(ids(second)).toEqual(['bob']);
  expect(second.meta).toMatchObject({ has_more: false, next_cursor: null });
});

test('another project and a test key see no users of this project', async () => {
  await add('ada');
  const other = await rest.createTenant();
  expect((await get('/v1/users', other.key)).data).toEqual([]);
  expect((await get('/v1/users/ada', other.key)).error).toMatchObject({
    code: 'not_found',
    message: 'No account has the `external_user_id` ada.',
  });
  const { key } = await rest.createTenant({ environment: 'test' });
  expect((await get('/v1/users', key)).data).toEqual([]);
});

test('an unknown user is not found, whatever its ID', async () => {
  for (const id of ['nobody', '%20', 'a%2Fb', '%F0%9F%91%8B']) {
    expect((await get(`/v1/users/${id}`)).error.code).toBe('not_found');
  }
});
