// A stream to which nothing happens is told how far it is, so that its cursor stays young.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { subscribeOverSocket } from '../../support/graphql/graphql.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    roles: { api: true, worker: false },
    env: { FANFARE_BOOKMARK_MS: '1000' },
  });
});
afterAll(() => app.stop());

const query = `subscription ($id: ID, $after: String) {
  webhookUpdated(id: $id, after: $after) { cursor change id webhook { id } }
}`;

describe('a bookmark', () => {
  test('shows a cursor and nothing else, and a stream goes on after it', async () => {
    const watch = (variables: Record<string, unknown>) =>
      subscribeOverSocket({ url: app.url, key: app.tenant.key, query, variables });
    const { id } = await app.tenant.createWebhook('https://example.com/hook');
    await using quiet = watch({ id });
    await quiet.waitFor(1);
    await app.tenant.connectSandbox('ada');
    const [, message] = await quiet.waitFor(2);
    const bookmark = message.data.webhookUpdated;
    expect(bookmark).toEqual({
      cursor: expect.any(String),
      change: 'bookmark',
      id: null,
      webhook: null,
    });
    await app.api.delete(`/v1/webhooks/${id}`);
    await using resumed = watch({ id, after: bookmark.cursor });
    const told = await resumed.until(({ data }) => data.webhookUpdated.change !== 'bookmark');
    expect(told.at(-1).data.webhookUpdated).toMatchObject({ change: 'deleted', id });
  });
});
