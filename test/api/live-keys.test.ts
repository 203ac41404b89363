// Streams end soon after the key that opened them may not be used any more.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import {
  subscribeOverSocket,
  subscribeOverSse,
  type SubscribeOptions,
  type Subscription,
} from '../support/graphql.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false } });
});
afterAll(() => app.stop());

const query = 'subscription { postUpdated { cursor } }';

async function makeKey(extra: object = {}): Promise<{ id: string; key: string }> {
  const { body } = await app.api.post('/v1/api-keys', { name: 'brief', ...extra });
  return body.data;
}

function expectUnauthorized(transport: string, code: number, { messages }: Subscription): void {
  if (transport === 'WebSocket') expect(code).toBe(4401);
  else expect(messages.at(-1).errors[0].extensions.code).toBe('unauthorized');
}

describe.each([
  ['WebSocket', (options: SubscribeOptions) => subscribeOverSocket(options)],
  ['SSE', subscribeOverSse],
] as const)('a stream over %s', (transport, subscribe) => {
  const open = async (key: string) => subscribe({ url: app.url, key, query });

  test("ends within 5 s of the revocation of its key, and another key's goes on", async () => {
    const { id, key } = await makeKey();
    await using stream = await open(key);
    await using other = await open(app.tenant.key);
    const account = await app.tenant.connectSandbox('ada');
    const post = { caption: 'a', account_ids: [account.id], status: 'draft' };
    await app.tenant.createPost(post);
    await Promise.all([stream.waitFor(1), other.waitFor(1)]);
    await app.api.delete(`/v1/api-keys/${id}`);
    const revokedAt = Date.now();
    const code = await stream.closed;
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
    expectUnauthorized(transport, code, stream);
    await app.tenant.createPost(post);
    await other.waitFor(2);
  });

  test('ends within 5 s of the end that its key has', async () => {
    const expiresAt = Date.now() + 1_500;
    const { key } = await makeKey({ expires_at: new Date(expiresAt).toISOString() });
    await using stream = await open(key);
    const code = await stream.closed;
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect(Date.now()).toBeLessThan(expiresAt + 5_000);
    expectUnauthorized(transport, code, stream);
  });
});
