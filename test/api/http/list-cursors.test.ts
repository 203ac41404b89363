// The cursors of lists: each list accepts only its own.
import { beforeAll, describe, expect, test } from 'vitest';
import { idPrefixes, newId } from '../../../schema/wire/ids.ts';
import { useApp } from '../../support/app/app.ts';
import { askRefused } from '../../support/graphql/graphql.ts';

let webhookId: string;
let postPath: string;

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  const account = await app.tenant.connectSandbox('ada');
  const draft = { caption: 'a', account_ids: [account.id], status: 'draft' };
  const { id, results } = await app.tenant.createPost(draft);
  postPath = `${id}/results/${results[0]!.id}`;
  webhookId = (await app.tenant.createWebhook('https://example.com/hook')).id;
});

const toCursor = (id: string) => Buffer.from(id).toString('base64url');

const lists = [
  ['/v1/posts', newId('post')],
  ['/v1/accounts', newId('account')],
  ['/v1/webhooks', newId('webhook')],
  ['/v1/api-keys', newId('key')],
  ['/v1/events', newId('event')],
  ['/v1/labels', 'lbl_61'],
  ['/v1/webhooks/:webhook/replays', newId('replay')],
  ['/v1/posts/:result/attempts', 'att_7'],
] as const;
/** Two lists of the same kind, whose cursors are alike. */
const deliveryLists = ['/v1/deliveries', '/v1/webhooks/:webhook/deliveries'] as const;

const made = ['zz_zzz', 'att_x', 'att_9999999999', ...Object.values(idPrefixes)];

const all = [...lists, ...deliveryLists.map((list) => [list, newId('delivery')] as const)];

describe.each(all)('%s', (list, own) => {
  const get = (id: string) => {
    const path = list.replace(':webhook', webhookId).replace(':result', postPath);
    return app.api.get(`${path}?cursor=${toCursor(id)}`);
  };

  test('accepts its own cursor', async () => {
    expect((await get(own)).status).toBe(200);
  });

  test('refuses cursors of other lists, and invented ones', async () => {
    for (const id of [...lists.map(([, other]) => other).filter((id) => id !== own), ...made]) {
      const { status, body } = await get(id);
      expect({ id, status }).toEqual({ id, status: 422 });
      expect(body.error.issues).toMatchObject([{ path: 'cursor', code: 'invalid_cursor' }]);
    }
  });
});

describe('a connection of GraphQL', () => {
  test.each(['posts', 'accounts', 'webhooks', 'apiKeys', 'events'])(
    'refuses the cursor of another connection: %s',
    async (field) => {
      const after = toCursor(newId('delivery'));
      const refused = await askRefused(app, `{ ${field}(after: "${after}") { nodes { id } } }`);
      expect(refused.issues).toMatchObject([{ path: 'after', code: 'invalid_cursor' }]);
    },
  );
});
