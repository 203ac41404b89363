// A network whose answer can't be stored or shown: the account is not connected.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import { createTestRest, type TestKey, type TestRest } from '../../support/app/rest.ts';
import { toGrant, type Connection } from '../../support/networks/connection.ts';
import type { Grant, GrantedAccount, Platform } from '../../../activities/platforms/platform.ts';

let answer: Grant | PlatformError;
let rest: TestRest;
let tenant: TestKey;

beforeAll(async () => {
  const apiUrl = 'https://network.invalid';
  async function run(): Promise<Grant> {
    if (answer instanceof PlatformError) throw answer;
    return answer;
  }
  const sandbox = createSandboxPlatform({ fetch, apiUrl, publicUrl: apiUrl });
  const network: Platform = {
    ...sandbox,
    definition: { ...sandbox.definition, scopes: ['post'] },
    connect: [{ kind: 'form', fields: z.strictObject({ handle: z.string() }), run }],
  };
  rest = await createTestRest({}, { platforms: createPlatforms([network]) });
  tenant = await rest.createTenant();
});
afterAll(() => rest[Symbol.asyncDispose]());

const usual: Connection = {
  externalAccountId: 'ada',
  accountName: 'ada',
  credentials: { token: 't' },
  scope: ['post'],
  tokenExpiresAt: null,
};

function connect(change: Partial<Connection> | PlatformError) {
  return send(change instanceof PlatformError ? change : toGrant({ ...usual, ...change }));
}

function send(next: Grant | PlatformError) {
  answer = next;
  return rest.call('POST', '/v1/accounts/connect', {
    key: tenant.key,
    body: { platform: 'sandbox', credentials: { handle: 'ada' } },
  });
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

test.each<[string, Partial<Connection>]>([
  ['an account id', { externalAccountId: 'a\0b' }],
  ['an account id', { externalAccountId: ' ' }],
  ['an account id', { externalAccountId: 'x'.repeat(2_049) }],
  ['an account id', { externalAccountId: 'ä'.repeat(1_025) }],
  ['an account name', { accountName: 'a\0b' }],
  ['an account name', { accountName: '' }],
  ['an account name', { accountName: 'half \uD800' }],
  ['an account name', { accountName: 'x'.repeat(321) }],
  ['a scope', { scope: ['post', 'a\0b'] }],
  ['a scope', { scope: ['x'.repeat(20_000)] }],
  ['credentials', { credentials: { token: 'a\0b' } }],
  ['credentials', { credentials: { token: 'a\r\nb: c' } }],
  ['credentials', { credentials: { token: 'x'.repeat(40_000) } }],
  ['an expiry', { tokenExpiresAt: new Date(Number.NaN) }],
  ['an expiry', { tokenExpiresAt: inDays(-2) }],
  ['an expiry', { tokenExpiresAt: new Date(Date.UTC(10_000, 0)) }],
  ['an expiry', { tokenExpiresAt: new Date(8.64e15) }],
])("%s that can't be used is refused (%#)", async (part, change) => {
  const { status, body } = await connect(change);
  expect(status).toBe(503);
  expect(body.error).toMatchObject({
    code: 'unavailable',
    message: `The network answered with ${part} that can't be used.`,
  });
  const accounts = await rest.call('GET', '/v1/accounts', { key: tenant.key });
  expect(accounts.body.data).toEqual([]);
});

const grantOf = (accounts: GrantedAccount[]): Grant => ({ ...toGrant(usual), accounts });
const named = (name: string): GrantedAccount => ({
  externalAccountId: name,
  accountName: name,
  problem: null,
});
const many = (count: number) => Array.from({ length: count }, (_, i) => named(`page-${i}`));

test("a duplicate account can't be used", async () => {
  const { status, body } = await send(grantOf([named('ada'), named('ada')]));
  expect(status).toBe(503);
  expect(body.error.message).toBe(
    "The network answered with a duplicate account that can't be used.",
  );
});

test.each([
  [
    'more than 100 accounts',
    many(101),
    'This login has more than 100 accounts. Allow fewer of them.',
  ],
  ['no account', [], 'This login has no account that can be connected.'],
  ['an account that cannot publish', [{ ...named('ada'), problem: 'Too new.' }], 'ada: Too new.'],
  [
    '60 accounts that cannot publish',
    many(60).map((account) => ({ ...account, problem: 'Too new.' })),
    "page-0: Too new. page-1: Too new. page-2: Too new. 57 more can't be connected either.",
  ],
])('a login with %s is refused', async (_, accounts, message) => {
  const { status, body } = await send(grantOf(accounts));
  expect(status).toBe(422);
  expect(body.error.issues).toEqual([
    { path: expect.stringMatching(/^credentials\b/), code: 'refused_by_network', message },
  ]);
});

test('a login with more tokens than can be kept is refused', async () => {
  const tokens = { a: 'x'.repeat(20_000), b: 'x'.repeat(20_000) };
  const { status, body } = await send({ ...grantOf(many(2)), credentials: tokens });
  expect(status).toBe(422);
  expect(body.error.issues).toMatchObject([
    { message: 'This login has more accounts than Fanfare can keep. Allow fewer of them.' },
  ]);
  const more = await send({ ...grantOf(many(101)), credentials: tokens });
  expect(more.body.error.message).toContain('more than 100 accounts');
});

test('a login without a needed permission is refused, and the permission is named', async () => {
  const { status, body } = await connect({ scope: ['read'] });
  expect(status).toBe(422);
  expect(body.error.issues).toEqual([
    {
      path: 'credentials.handle',
      code: 'scope_missing',
      message: 'This login lacks these permissions: post. Log in again and allow them.',
    },
  ]);
});

test('a login with several accounts needs a connect session', async () => {
  const { status, body } = await send(grantOf(many(100)));
  expect(status).toBe(422);
  expect(body.error.issues[0]).toMatchObject({ path: 'credentials', code: 'several_accounts' });
});

test('a login connects the one account that can publish', async () => {
  const blocked = { ...named('blocked'), problem: 'Too new.' };
  const { status, body } = await send(grantOf([blocked, named('only')]));
  expect([status, body.data.account_name]).toEqual([201, 'only']);
});

test('the longest values that the specifications allow are stored whole', async () => {
  const longest = {
    externalAccountId: `did:web:${'x'.repeat(2_040)}`,
    accountName: 'x'.repeat(320),
    tokenExpiresAt: new Date(Date.UTC(9_999, 11, 31)),
  };
  const { status, body } = await connect(longest);
  expect(status).toBe(201);
  expect(body.data).toMatchObject({
    external_account_id: longest.externalAccountId,
    account_name: longest.accountName,
    token_expires_at: '9999-12-31T00:00:00.000Z',
  });
});

test('a very long refusal is shown only in part', async () => {
  const words = 'x'.repeat(1_000_000);
  const { status, body } = await connect(
    new PlatformError('rejected', words, { field: 'handle', platformCode: words }),
  );
  expect(status).toBe(422);
  expect(JSON.stringify(body).length).toBeLessThan(4_000);
});
