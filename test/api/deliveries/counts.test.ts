// Numbers of deliveries by day and status, in both APIs.
import { beforeAll, describe, expect, test } from 'vitest';
import { idAt } from '../../../schema/wire/ids.ts';
import { createApi } from '../../support/app/api.ts';
import { useApp } from '../../support/app/app.ts';
import type { Tenant } from '../../support/app/seed.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp({ roles: { api: true, worker: false } });

/** By SQL, since no operation gives a delivery a time in the past. */
async function plant(webhookId: string, deliveries: readonly (readonly [string, string])[]) {
  const { db } = app.context;
  const { project_id } = await db
    .selectFrom('webhook_subscriptions')
    .select('project_id')
    .where('id', '=', webhookId)
    .executeTakeFirstOrThrow();
  for (const [status, at] of deliveries) {
    const created_at = new Date(at);
    const delivery = {
      id: idAt('delivery', created_at),
      project_id,
      webhook_id: webhookId,
      event_id: idAt('event', created_at),
      event: 'post.published',
      status,
      trigger: 'event',
      created_at,
    };
    await db
      .insertInto('deliveries')
      .values(delivery as never)
      .execute();
  }
}

let other: Tenant;
beforeAll(async () => {
  const first = await app.tenant.createWebhook('https://example.com/1');
  const second = await app.tenant.createWebhook('https://example.com/2');
  await plant(first.id, [
    // In Berlin, the day before its daylight saving time ends, that day, and the next one.
    ['delivered', '2030-10-26T21:59:59Z'],
    ['delivered', '2030-10-26T22:00:00Z'],
    ['failed', '2030-10-27T12:00:00Z'],
    ['delivered', '2030-10-27T23:00:00Z'],
  ]);
  await plant(second.id, [['delivered', '2030-10-27T22:59:59Z']]);
  await app.api.delete(`/v1/webhooks/${second.id}`);
  other = await app.createTenant('other');
  const foreign = await other.createWebhook('https://example.com/other');
  await plant(foreign.id, [['skipped', '2030-10-27T12:00:00Z']]);
});

const from = '2030-10-26T00:00:00Z';
const to = '2030-11-01T00:00:00Z';

async function listCounts(query: string, key = app.tenant.key) {
  const { body, status } = await createApi(app.url, key).get(`/v1/deliveries/counts?${query}`);
  expect(status, JSON.stringify(body.error)).toBe(200);
  return body.data.map(({ date, status, count }: Record<string, unknown>) => [date, status, count]);
}

describe('counts of deliveries', () => {
  test('follow the days of the time zone, and include a deleted webhook', async () => {
    const inBerlin = [
      ['2030-10-26', 'delivered', 1],
      ['2030-10-27', 'delivered', 2],
      ['2030-10-27', 'failed', 1],
      ['2030-10-28', 'delivered', 1],
    ];
    expect(await listCounts(`from=${from}&to=${to}&timezone=Europe/Berlin`)).toEqual(inBerlin);
    const { deliveryCounts } = await ask(
      app,
      `{ deliveryCounts(from: "${from}", to: "${to}", timezone: "Europe/Berlin") {
        date status count } }`,
    );
    expect(
      deliveryCounts.map((each: Record<string, unknown>) => [
        each['date'],
        String(each['status']).toLowerCase(),
        each['count'],
      ]),
    ).toEqual(inBerlin);
  });

  test('are of days in UTC by default, and of the interval only', async () => {
    expect(await listCounts('from=2030-10-26T22:00:00Z&to=2030-10-27T22:59:59Z')).toEqual([
      ['2030-10-26', 'delivered', 1],
      ['2030-10-27', 'failed', 1],
    ]);
  });

  test('are those of the project of the key', async () => {
    expect(await listCounts(`from=${from}&to=${to}`, other.key)).toEqual([
      ['2030-10-27', 'skipped', 1],
    ]);
  });

  test('are hidden from a test key, and from a key without the scope', async () => {
    const create = async (key: object) =>
      (await app.api.post('/v1/api-keys', { name: 'a', ...key })).body.data.key as string;
    const query = `from=${from}&to=${to}`;
    expect(await listCounts(query, await create({ environment: 'test' }))).toEqual([]);
    const key = await create({ scopes: ['posts:read'] });
    const refused = await createApi(app.url, key).get(`/v1/deliveries/counts?${query}`);
    expect(refused.status).toBe(403);
  });

  test.each([
    ['', ['from required', 'to required']],
    [`from=${from}&to=${to}&timezone=Mars/Base`, ['timezone invalid_timezone']],
    [`from=${to}&to=${from}`, ['from not_before_to']],
    [`from=${from}&to=2032-01-01T00:00:00Z`, ['to too_long']],
  ])('are refused for %s', async (query, issues) => {
    const { status, body } = await app.api.get(`/v1/deliveries/counts?${query}`);
    expect(status).toBe(422);
    expect(
      body.error.issues.map(({ path, code }: Record<string, string>) => `${path} ${code}`),
    ).toEqual(issues);
  });

  test('are refused in GraphQL with the name of the argument', async () => {
    const args = `from: "${from}", to: "${to}", timezone: "Mars/Base"`;
    const refused = await askRefused(app, `{ deliveryCounts(${args}) { count } }`);
    expect(refused.issues).toMatchObject([{ path: 'timezone', code: 'invalid_timezone' }]);
  });
});
