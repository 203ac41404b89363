// A network whose answer can't be stored or shown: the account is not connected.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { Connection } from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import { createTestRest, type TestKey, type TestRest } from '../../support/app/rest.ts';

let answer: Connection | PlatformError;
let rest: TestRest;
let tenant: TestKey;

beforeAll(async () => {
  const apiUrl = 'https://network.invalid';
  async function run(): Promise<Connection> {
    if (answer instanceof PlatformError) throw answer;
    return answer;
  }
  const network = {
    ...createSandboxPlatform({ fetch, apiUrl, publicUrl: apiUrl }),
    connect: { credentials: z.strictObject({ handle: z.string() }), run },
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
  answer = change instanceof PlatformError ? change : { ...usual, ...change };
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
  ['credentials', { credentials: { token: 'x'.repeat(20_000) } }],
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

test('the longest that the specifications allow is stored whole', async () => {
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

test('a refusal is shown as far as anyone reads it', async () => {
  const words = 'x'.repeat(1_000_000);
  const { status, body } = await connect(
    new PlatformError('rejected', words, { field: 'handle', platformCode: words }),
  );
  expect(status).toBe(422);
  expect(JSON.stringify(body).length).toBeLessThan(4_000);
});
