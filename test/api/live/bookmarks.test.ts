// A quiet stream gets bookmarks, so that its cursor doesn't expire.
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { subscribeOverSocket } from '../../support/graphql/graphql.ts';

const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_BOOKMARK_MS: '1000' },
});

const query = `subscription ($id: ID, $after: String) {
  webhookUpdated(id: $id, after: $after) { cursor change webhookId webhook { id } }
}`;

describe('a bookmark', () => {
  test('shows only a cursor, from which a stream resumes', async () => {
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
      webhookId: null,
      webhook: null,
    });
    await app.api.delete(`/v1/webhooks/${id}`);
    await using resumed = watch({ id, after: bookmark.cursor });
    const messages = await resumed.until(({ data }) => data.webhookUpdated.change !== 'bookmark');
    expect(messages.at(-1).data.webhookUpdated).toMatchObject({ change: 'deleted', webhookId: id });
  });
});
