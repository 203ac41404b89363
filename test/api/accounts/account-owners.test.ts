// Who owns an account: a user in a connect session can't take it from another user, an API key can move it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountStatus } from '../../../schema/accounts.ts';
import { finishWithLogin } from '../../../api/connect/finish.ts';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import { en } from '../../../api/http/pages/texts/en.ts';
import type { Context } from '../../../api/http/context.ts';
import { createPlatforms, findFormMethod } from '../../../activities/platforms/index.ts';
import { getConnectSessionRow } from '../../../schema/database/accounts/connect-sessions.ts';
import { createBrowser } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createTestRest, type TestKey, type TestRest } from '../../support/app/rest.ts';
import { createTestSandbox, type TestSandbox } from '../../support/app/sandbox.ts';
import { toGrant } from '../../support/networks/connection.ts';

let network: TestDatabase;
let sandbox: TestSandbox;
let rest: TestRest;
let tenant: TestKey;

beforeAll(async () => {
  network = await createTestDatabase();
  sandbox = createTestSandbox(network.db);
  rest = await createTestRest({}, { platforms: createPlatforms([sandbox.platform]) });
  tenant = await rest.createTenant();
});
afterAll(async () => {
  await rest[Symbol.asyncDispose]();
  await network.drop();
});

let handles = 0;
const newHandle = () => `owned${++handles}`;

const post = (path: string, body: object, { key } = tenant) =>
  rest.call('POST', path, { key, body });

const connect = (handle: string, user: object = {}, by = tenant) =>
  post('/v1/accounts/connect', { platform: 'sandbox', credentials: { handle }, ...user }, by);

/** A user has logged in to the account at the network, at the session's page. */
async function completeAs(user: object, handle: string, by = tenant) {
  const opened = await post('/v1/connect/sessions', { platform: 'sandbox', ...user }, by);
  const { id } = opened.body.data;
  const scope = { projectId: by.projectId, environment: 'production' } as const;
  const session = await getConnectSessionRow(rest.context.db, scope, id);
  const grant = toGrant({
    externalAccountId: handle,
    accountName: handle,
    credentials: { access_token: 'of the session' },
    scope: ['post'],
    tokenExpiresAt: null,
  });
  await finishWithLogin({ ...rest.context, texts: en }, session, {
    kind: 'choice',
    state: '',
    method: sandbox.platform.connect[0]!,
    grant,
    appId: null,
  });
  return getConnectSessionRow(rest.context.db, scope, id);
}

/** All that is stored of an account, and of what happened to it. */
async function readAll(id: string) {
  const { db } = rest.context;
  const account = await db
    .selectFrom('social_accounts')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const events = await db
    .selectFrom('events')
    .select('id')
    .where('social_account_id', '=', id)
    .execute();
  return { account, events };
}

describe('a connect session', () => {
  test.each([
    ['another user', { external_user_id: 'user-1', external_user_email: 'one@example.com' }],
    ['no user', {}],
  ])('connects no account that is active for %s, and changes nothing', async (_, owner) => {
    const handle = newHandle();
    const { id } = (await connect(handle, owner)).body.data;
    const before = await readAll(id);
    await expect(completeAs({ external_user_id: 'user-2' }, handle)).rejects.toMatchObject({
      code: 'account_in_use',
    });
    expect(await readAll(id)).toEqual(before);
    const session = await rest.context.db
      .selectFrom('connect_sessions')
      .select(['status', 'completed_social_account_ids'])
      .where('external_user_id', '=', 'user-2')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(session).toEqual({ status: 'pending', completed_social_account_ids: [] });
  });

  test('connects an account again for the user that has it', async () => {
    const handle = newHandle();
    const user = { external_user_id: 'user-1', external_user_email: 'one@example.com' };
    const { id } = (await connect(handle, user)).body.data;
    const ended = await completeAs({ external_user_id: 'user-1' }, handle);
    expect(ended).toMatchObject({ status: 'completed', completed_social_account_ids: [id] });
    expect((await readAll(id)).account).toMatchObject(user);
  });

  test.each<AccountStatus>(['disconnected', 'reconnect_required'])(
    'takes over an account that is %s, without the email of the user before',
    async (status) => {
      const handle = newHandle();
      const user = { external_user_id: 'user-1', external_user_email: 'one@example.com' };
      const { id } = (await connect(handle, user)).body.data;
      await rest.context.db
        .updateTable('social_accounts')
        .set({ status, grant_id: null })
        .where('id', '=', id)
        .execute();
      await completeAs({ external_user_id: 'user-2' }, handle);
      expect((await readAll(id)).account).toMatchObject({
        status: 'active',
        external_user_id: 'user-2',
        external_user_email: null,
      });
    },
  );

  test('is unaffected by the users of another project', async () => {
    const handle = newHandle();
    await connect(handle, { external_user_id: 'user-1' });
    const other = await rest.createTenant();
    const ended = await completeAs({ external_user_id: 'user-2' }, handle, other);
    expect(ended.status).toBe('completed');
  });

  test('either gets a new account or is refused if other users connect it at the same time', async () => {
    const handle = newHandle();
    const ends = await Promise.allSettled(
      ['a', 'b', 'c'].map((user) => completeAs({ external_user_id: user }, handle)),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('the hosted page', () => {
  const inUse = (handle: string) =>
    `The account ${handle} is connected for another user. Have that user disconnect it first, or connect another account.`;
  /** A browser at the page, and at the network's consent page. */
  const browse = (context: Context) => {
    const hosted = createConnectRoutes(context);
    return createBrowser((url, init) =>
      new URL(url).pathname.startsWith('/sandbox/')
        ? sandbox.request(url, init)
        : hosted.request(url, init),
    );
  };
  const open = async () => {
    const session = { platform: 'sandbox', external_user_id: 'user-2' };
    return (await post('/v1/connect/sessions', session)).body.data;
  };
  const statusOf = async (id: string) => {
    const { body } = await rest.call('GET', `/v1/connect/sessions/${id}`, { key: tenant.key });
    return body.data.status;
  };

  test('says after the consent that the account is in use', async () => {
    const handle = newHandle();
    await connect(handle, { external_user_id: 'user-1' });
    const { id, url } = await open();
    const browser = browse(rest.context);
    const consent = await beginConsent(browser, url);
    const ended = await browser.submit(consent, { handle, decision: 'allow' });
    expect(ended.status).toBe(409);
    expect(ended.html).toContain(inUse(handle));
    expect(ended.html).toContain(`href="/connect/${id}">Try again`);
    expect(await statusOf(id)).toBe('pending');
  });

  test('says in the form that the account is in use', async () => {
    const handle = newHandle();
    await connect(handle, { external_user_id: 'user-1' });
    const plain = { ...sandbox.platform, connect: [findFormMethod(sandbox.platform)!] };
    const { id, url } = await open();
    const browser = browse({ ...rest.context, platforms: createPlatforms([plain]) });
    const form = await browser.visit(url);
    const again = await browser.submit(form, { handle, decision: 'connect' });
    expect(again.status).toBe(422);
    expect(again.html).toContain(inUse(handle));
    expect(await statusOf(id)).toBe('pending');
  });
});

test('POST /v1/accounts/connect moves an account to another user', async () => {
  const handle = newHandle();
  const user = { external_user_id: 'user-1', external_user_email: 'one@example.com' };
  const { id } = (await connect(handle, user)).body.data;
  const moved = await connect(handle, { external_user_id: 'user-2' });
  expect(moved.status).toBe(200);
  expect(moved.body.data).toMatchObject({
    id,
    external_user_id: 'user-2',
    external_user_email: null,
  });
});
