// The deliveries to all webhooks of a project, and the names of the bounds of a period.
import { beforeAll, describe, expect, test } from 'vitest';
import { createApi } from '../../support/app/api.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp({ roles: { api: true, worker: false } });

let webhooks: string[];
/** IDs of all deliveries, newest first. */
let ids: string[];

beforeAll(async () => {
  webhooks = [];
  for (let i = 0; i < 3; i++) {
    webhooks.push((await app.tenant.createWebhook(`https://example.com/${i}`)).id);
  }
  const other = await app.createTenant('other');
  const { id } = await other.createWebhook('https://example.com/other');
  await other.api.post(`/v1/webhooks/${id}/test`);
  const sent: string[] = [];
  for (let i = 0; i < 7; i++) {
    const event = i % 2 === 0 ? 'post.failed' : 'post.published';
    const path = `/v1/webhooks/${webhooks[i % 3]}/test`;
    sent.push((await app.api.post(path, { event })).body.data.id);
  }
  ids = sent.toReversed();
});

async function listIds(query: string, key = app.tenant.key): Promise<string[]> {
  const { status, body } = await createApi(app.url, key).get(`/v1/deliveries?${query}`);
  expect(status, JSON.stringify(body.error)).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
}

describe('the deliveries to all webhooks', () => {
  test('are listed in pages, newest first', async () => {
    const { body } = await app.api.get('/v1/deliveries?limit=5');
    const read = body.data.map(({ id }: { id: string }) => id);
    expect(read).toEqual(ids.slice(0, 5));
    expect(await listIds(`limit=5&cursor=${body.meta.next_cursor}`)).toEqual(ids.slice(5));
  });

  test('are filtered by status, event and time', async () => {
    expect(await listIds('event=post.published')).toEqual([ids[1], ids[3], ids[5]]);
    expect(await listIds('status=pending')).toEqual(ids);
    expect(await listIds('status=failed')).toEqual([]);
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await listIds(`to=${soon}`)).toEqual(ids);
    expect(await listIds(`from=${soon}`)).toEqual([]);
  });

  test('are in GraphQL those of all webhooks, unless one is named', async () => {
    const { all, of } = await ask(
      app,
      `query ($webhook: ID!) {
        all: deliveries { nodes { id } }
        of: deliveries(webhookId: $webhook, event: POST_FAILED) { nodes { id } }
      }`,
      { webhook: webhooks[0] },
    );
    expect(all.nodes.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(of.nodes.map(({ id }: { id: string }) => id)).toEqual([ids[0], ids[6]]);
  });

  test('include those to a deleted webhook', async () => {
    await app.api.delete(`/v1/webhooks/${webhooks[2]}`);
    expect(await listIds('')).toEqual(ids);
  });

  test('are hidden from a test key and from a key without the scope', async () => {
    const create = async (key: object) =>
      (await app.api.post('/v1/api-keys', { name: 'a', ...key })).body.data.key as string;
    expect(await listIds('', await create({ environment: 'test' }))).toEqual([]);
    const key = await create({ scopes: ['posts:read'] });
    expect((await createApi(app.url, key).get('/v1/deliveries')).status).toBe(403);
  });
});

const lists = ['/v1/deliveries', '/v1/webhooks/:id/deliveries', '/v1/events'];

describe.each(lists)('the bounds of a period at %s', (list) => {
  const early = '2026-01-01T00:00:00Z';
  const late = '2100-01-01T00:00:00Z';
  const get = (query: string) => app.api.get(`${list.replace(':id', webhooks[0]!)}?${query}`);

  test('have a former name each, which counts too', async () => {
    const counts: Record<string, number> = {};
    for (const query of ['', `from=${early}&to=${late}`, `since=${early}&until=${late}`]) {
      counts[query] = (await get(`${query}&limit=100`)).body.data.length;
    }
    expect(new Set(Object.values(counts)).size).toBe(1);
    for (const query of [`from=${late}`, `since=${late}`, `to=${early}`, `until=${early}`]) {
      expect((await get(query)).body.data).toEqual([]);
    }
  });

  test.each([
    [`from=${early}&since=${early}`, 'since', 'both_names'],
    [`to=${late}&until=${late}`, 'until', 'both_names'],
    [`from=${late}&to=${early}`, 'from', 'not_before_to'],
    [`since=${late}&to=${early}`, 'since', 'not_before_to'],
    [`from=${late}&until=${early}`, 'from', 'not_before_until'],
  ])('are refused: %s', async (query, path, code) => {
    const { status, body } = await get(query);
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ path, code }]);
  });
});

test('both names are refused in GraphQL', async () => {
  const at = '2026-01-01T00:00:00Z';
  for (const field of ['events', 'deliveries']) {
    const query = `{ ${field}(from: "${at}", since: "${at}") { nodes { id } } }`;
    const refused = await askRefused(app, query);
    expect(refused.issues).toMatchObject([{ path: 'since', code: 'both_names' }]);
  }
});
