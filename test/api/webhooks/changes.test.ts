// Changes of a webhook that are refused, over REST and GraphQL: each fault by its path, nothing written.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { askRefused } from '../../support/graphql/graphql.ts';

let app: TestApp;
let id: string;
let before: unknown;

beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false } });
  id = (await app.tenant.createWebhook('http://127.0.0.1:9', ['post.published'])).id;
});
afterAll(() => app.stop());

beforeEach(async () => {
  before = await readWritten();
});
afterEach(async () => {
  expect(await readWritten()).toEqual(before);
});

async function readWritten() {
  const { db } = app.context;
  const rows = db.selectFrom('webhook_subscriptions').selectAll();
  return [
    await rows.where('id', '=', id).executeTakeFirstOrThrow(),
    await db.selectFrom('changes').selectAll().execute(),
    await db.selectFrom('outbox').selectAll().execute(),
  ];
}

const faults: [name: string, changes: Record<string, unknown>, path: string, code: string][] = [
  ['no change at all', {}, '', 'nothing_to_change'],
  ['an empty list of events', { events: [] }, 'events', 'too_small'],
  ['an empty name beside a good change', { name: '', active: false }, 'name', 'too_small'],
];

describe('PATCH /v1/webhooks/:id', () => {
  test.each(faults)('refuses %s', async (_, changes, path, code) => {
    const { status, body } = await app.api.patch(`/v1/webhooks/${id}`, changes);
    expect([status, body.error.code]).toEqual([422, 'validation_error']);
    expect(body.error.issues).toMatchObject([{ path: path || 'body', code }]);
  });
});

describe('updateWebhook', () => {
  const update = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
    updateWebhook(id: $id, input: $input) { id }
  }`;

  test.each(faults)('refuses %s', async (_, input, path, code) => {
    expect(await askRefused(app, update, { id, input })).toMatchObject({
      code: 'validation_error',
      issues: [{ path: path ? `input.${path}` : 'input', code }],
    });
  });
});
