// Changing an account: the client's name for it, its user, and the defaults of its posts.
import { beforeEach, describe, expect, test } from 'vitest';
import { eraseAccounts } from '../../../schema/database/dispatch/erasure.ts';
import { useRest } from '../../support/app/rest.ts';
import { changesOf } from '../../support/receivers/delivery-rows.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const rest = useRest();

let projectId: string;
let key: string;
let accountId: string;

beforeEach(async () => {
  ({ projectId, key } = await rest.createTenant());
  accountId = await rest.insertAccount(projectId, {
    external_user_id: 'user-1',
    external_user_email: 'one@example.com',
  });
});

const path = () => `/v1/accounts/${accountId}`;
const read = async () => (await rest.call('GET', path(), { key })).body.data;
const update = (body: unknown, by = key) => rest.call('PATCH', path(), { key: by, body });
const setDefaults = (platform_options: unknown, more: object = {}) =>
  update({ defaults: { platform_options, ...more } });

async function issuesOf(answer: ReturnType<typeof update>) {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBe(422);
  return body.error.issues;
}

describe('the name', () => {
  test('is set, shown and removed, and the name at the network stays', async () => {
    expect(await read()).toMatchObject({ display_name: null });
    const { status, body } = await update({ display_name: 'Our shop' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ display_name: 'Our shop', account_name: accountId });
    expect(await read()).toEqual(body.data);
    expect((await update({ display_name: null })).body.data.display_name).toBeNull();
  });

  test.each(['', ' ', 'a\nb', 'x'.repeat(256), 7])('is not %j', async (display_name) => {
    expect(await issuesOf(update({ display_name }))).toMatchObject([{ path: 'display_name' }]);
  });
});

describe('the user', () => {
  test('can be changed, which removes the email address', async () => {
    const { body } = await update({ external_user_id: 'user-2' });
    expect(body.data).toMatchObject({ external_user_id: 'user-2', external_user_email: null });
    const listOf = async (user: string) =>
      (await rest.call('GET', `/v1/accounts?external_user_id=${user}`, { key })).body.data;
    expect(await listOf('user-1')).toEqual([]);
    expect(await listOf('user-2')).toHaveLength(1);
  });

  test('keeps the email address if the same user is sent', async () => {
    const { body } = await update({ external_user_id: 'user-1' });
    expect(body.data).toMatchObject({ external_user_email: 'one@example.com' });
  });

  test('can be removed', async () => {
    const { body } = await update({ external_user_id: null });
    expect(body.data).toMatchObject({ external_user_id: null, external_user_email: null });
  });
});

describe('the defaults', () => {
  test('are replaced as a whole, and an option that is null gets no default', async () => {
    expect(await read()).toMatchObject({ defaults: { platform_options: {} } });
    const first = await setDefaults({ langs: ['en'], tags: ['news'] });
    expect(first.body.data.defaults).toEqual({
      platform_options: { langs: ['en'], tags: ['news'] },
    });
    const second = await setDefaults({ langs: ['de'], tags: null }, { platform: 'bluesky' });
    expect(second.body.data.defaults).toEqual({ platform_options: { langs: ['de'] } });
    expect(await read()).toMatchObject({ defaults: { platform_options: { langs: ['de'] } } });
    await update({ display_name: 'a' });
    expect(await read()).toMatchObject({ defaults: { platform_options: { langs: ['de'] } } });
    expect((await setDefaults({})).body.data.defaults).toEqual({ platform_options: {} });
  });

  const at = 'defaults.platform_options';
  test.each([
    [{ langs: ['not a language'] }, `${at}.langs[0]`, 'invalid'],
    [{ spoiler_text: 'a' }, `${at}.spoiler_text`, 'unknown_field'],
    [{ link: { url: 'https://a.example' } }, `${at}.link`, 'no_default'],
    [{ nothing: null }, `${at}.nothing`, 'unknown_field'],
  ])('are checked like the options of a post: %j', async (options, place, code) => {
    expect(await issuesOf(setDefaults(options))).toMatchObject([{ path: place, code }]);
    expect(await read()).toMatchObject({ defaults: { platform_options: {} } });
  });

  test('have a size limit, because each target gets a copy', async () => {
    const tags = Array.from({ length: 1_000 }, () => 'a'.repeat(10));
    expect(await issuesOf(setDefaults({ tags }))).toEqual([
      {
        path: at,
        code: 'too_big',
        message: 'must have at most 10,000 characters as JSON',
        actual: 13_010,
        limit: 10_000,
      },
    ]);
  });

  test('are refused if they are for another network', async () => {
    expect(await issuesOf(setDefaults({}, { platform: 'mastodon' }))).toMatchObject([
      { path: 'defaults.platform', code: 'other_network', actual: 'mastodon' },
    ]);
  });

  test.each([null, [], 'a', undefined])('are not %j', async (platform_options) => {
    expect(await issuesOf(setDefaults(platform_options))).toMatchObject([{ path: at }]);
  });
});

describe('a change', () => {
  test('is in the live feed', async () => {
    await update({ display_name: 'a' });
    expect(await changesOf(rest.context.db, accountId)).toEqual(['updated']);
  });

  test('must change something that is known', async () => {
    expect(await issuesOf(update({}))).toMatchObject([{ code: 'nothing_to_change' }]);
    expect(await issuesOf(update({ account_name: 'a' }))).toMatchObject([
      { path: 'account_name', code: 'unknown_field' },
    ]);
  });

  test('is kept for a disconnected account', async () => {
    await rest.call('DELETE', path(), { key });
    expect((await update({ display_name: 'a' })).status).toBe(200);
  });

  test('is refused for an erased account', async () => {
    const { db } = rest.context;
    const account = await db
      .selectFrom('social_accounts')
      .selectAll()
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    await inQuietTransaction(db, (trx) => eraseAccounts(trx, [account]));
    expect(await update({ external_user_id: 'user-2' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', message: 'The account was erased.' } },
    });
  });

  test("reaches no other project's account, and no production account with a test key", async () => {
    const other = await rest.createTenant();
    expect((await update({ display_name: 'a' }, other.key)).status).toBe(404);
    const testing = await rest.createTenant({ projectId, environment: 'test' });
    expect((await update({ display_name: 'a' }, testing.key)).status).toBe(404);
  });

  test('needs the scope accounts:write', async () => {
    const reading = await rest.createTenant({ projectId, scopes: ['accounts:read'] });
    expect((await update({ display_name: 'a' }, reading.key)).status).toBe(403);
  });
});

test('an erased account keeps neither its name nor its defaults', async () => {
  await update({ display_name: 'planted', defaults: { platform_options: { tags: ['planted'] } } });
  await rest.call('DELETE', `${path()}?erase=true`, { key });
  expect(await read()).toMatchObject({
    display_name: null,
    defaults: { platform_options: {} },
  });
});
