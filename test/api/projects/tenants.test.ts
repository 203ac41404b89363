// A key can't see rows of another project, on any route with an ID or in any list. A test key can't see
// production rows either.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../api/http/route.ts';
import { routes } from '../../../api/resources/routes.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { eventCatalogue } from '../../../schema/event-types.ts';
import { type TestKey, useRest } from '../../support/app/rest.ts';
import { addMedia } from '../../support/rows/media.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

let owner: TestKey;
const others: Record<string, TestKey> = {};
/** An id of the owner's for each collection: `webhooks` → `wh_…`; and for what is below, by its parameter. */
const ids = new Map<string, string>();

const rest = useRest();
beforeAll(async () => {
  owner = await rest.createTenant();
  others['another project'] = await rest.createTenant();
  const { projectId } = owner;
  others['a test key of the project'] = await rest.createTenant({
    projectId,
    environment: 'test',
  });
  const account = await rest.insertAccount(owner.projectId, { external_user_id: 'u1' });
  const create = async (path: string, body: unknown) =>
    (await rest.call('POST', path, { key: owner.key, body })).body.data.id as string;
  ids.set('accounts', account);
  ids.set('check_id', await create(`/v1/accounts/${account}/checks`, {}));
  ids.set('users', 'u1');
  ids.set('webhooks', await create('/v1/webhooks', { url: 'https://example.com' }));
  const post = { caption: 'a', account_ids: [account] };
  const { data } = (await rest.call('POST', '/v1/posts', { key: owner.key, body: post })).body;
  ids.set('posts', data.id);
  ids.set('result_id', data.results[0].id);
  const slots = [{ weekday: 'mon', time: '09:00' }];
  const queue = { name: 'a', timezone: 'UTC', account_ids: [account], slots };
  ids.set('queues', await create('/v1/queues', queue));
  const session = { platform: 'sandbox', external_user_id: 'u1' };
  ids.set('connect', await create('/v1/connect/sessions', session));
  ids.set('api-keys', await create('/v1/api-keys', { name: 'a' }));
  const { db, config, vault } = rest.context;
  const app = { platform: 'mastodon', clientId: 'a', clientSecret: null } as const;
  await putApp(db, projectId, vault, app);
  ids.set('media', await addMedia(db, projectId));
  ids.set('platform-credentials', app.platform);
  await inQuietTransaction(db, (trx) =>
    recordEvent(
      trx,
      {
        projectId: owner.projectId,
        environment: 'production',
        type: 'post.failed',
        data: eventCatalogue['post.failed'].sample,
        postId: ids.get('posts')!,
      },
      config,
    ),
  );
  const first = async (path: string) =>
    (await rest.call('GET', path, { key: owner.key })).body.data[0].id as string;
  ids.set('events', await first('/v1/events'));
  ids.set('deliveries', await first(`/v1/webhooks/${ids.get('webhooks')}/deliveries`));
  const range = { since: new Date(Date.now() - 60_000).toISOString() };
  bodies['replayDeliveries'] = range;
  const replay = await rest.call('POST', `/v1/webhooks/${ids.get('webhooks')}/replay`, {
    key: owner.key,
    body: range,
  });
  ids.set('replay_id', replay.body.data.replay_id);
});

/** A PUT writes what its path names, which another project may have too. */
const named = routes.filter(({ path, method }) => path.includes(':') && method !== 'put');
const lists = routes.filter(({ path, answer }) => !path.includes(':') && answer.isList);
/** The same for every project; and numbers, which their own test compares. */
const common = new Set([
  '/v1/event-types',
  '/v1/platforms/capabilities',
  '/v1/posts/counts',
  '/v1/deliveries/counts',
]);

/** The least that the route's body takes, so that what is refused is the id. */
const bodies: Record<string, unknown> = {
  updateAccount: { display_name: 'taken' },
  updateWebhook: { name: 'taken' },
  updatePost: { caption: 'taken' },
  updateQueue: { name: 'taken' },
  updateResult: { caption: 'taken' },
  createReviewLink: { can: 'publish' },
};

function ask({ method, path, name }: Route, key: string) {
  const collection = path.split('/')[2]!;
  const id = ids.get(collection);
  if (id === undefined) throw new Error(`The test knows no id of ${collection}.`);
  const body = bodies[name];
  const asked = path.replace(/:\w+/, id).replace(/:(\w+)/g, (_, param: string) => ids.get(param)!);
  return rest.call(method.toUpperCase(), asked, { key, body });
}

const names = ['another project', 'a test key of the project'];

describe.each(names)('an ID hidden from %s', (name) => {
  test.each(named.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'is 404 on %s, or erases nothing',
    async (_, route) => {
      const answer = await ask(route, others[name]!.key);
      // A user whom nobody knows is no error. The owner finds this one below.
      if (route.name === 'eraseUser') expect(answer.status).toBe(204);
      else expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    },
  );
});

describe('the owner', () => {
  test("finds its resources unchanged after another project's requests", async () => {
    for (const route of named.filter(({ method }) => method === 'get')) {
      // The sandbox has no choices.
      const status = route.name === 'listAccountChoices' ? 404 : 200;
      expect((await ask(route, owner.key)).status, route.path).toBe(status);
    }
    const webhook = await rest.call('GET', `/v1/webhooks/${ids.get('webhooks')}`, {
      key: owner.key,
    });
    expect(webhook.body.data.name).toBeNull();
  });
});

describe.each(names)('the rows that are not for %s', (name) => {
  test.each(lists.filter(({ path }) => !common.has(path)).map(({ path }) => path))(
    'are in no list: %s',
    async (path) => {
      const { body } = await rest.call('GET', path, { key: others[name]!.key });
      const known = new Set(ids.values());
      expect(body.data.filter((row: { id: string }) => known.has(row.id))).toEqual([]);
    },
  );
});

describe('every route', () => {
  const all = routes.map((route) => [`${route.method} ${route.path}`, route] as const);

  test.each(all)('requires a key: %s', async (_, { method, path }) => {
    const answer = await rest.call(method.toUpperCase(), path);
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  });

  test.each(all.filter(([, { scope }]) => scope !== 'any key'))(
    'asks for its scope: %s',
    async (_, { method, path, scope }) => {
      const others = await rest.createTenant({
        scopes: scope === 'posts:read' ? ['posts:write'] : ['posts:read'],
      });
      const answer = await rest.call(method.toUpperCase(), path, { key: others.key });
      expect(answer).toMatchObject({ status: 403, body: { error: { required_scope: scope } } });
    },
  );

  test('has a name of its own', () => {
    const names = routes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
