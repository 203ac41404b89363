// Refused changes of a webhook, over REST and GraphQL: each issue by its path, nothing written.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { askRefused } from '../../support/graphql/graphql.ts';

let id: string;
let before: unknown;

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  id = (await app.tenant.createWebhook('http://127.0.0.1:9', ['post.published'])).id;
});

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

const refused: [name: string, changes: Record<string, unknown>, path: string, code: string][] = [
  ['no change at all', {}, '', 'nothing_to_change'],
  ['an empty list of events', { events: [] }, 'events', 'too_small'],
  ['an empty name beside a good change', { name: '', active: false }, 'name', 'too_small'],
];

describe('PATCH /v1/webhooks/:id', () => {
  test.each(refused)('refuses %s', async (_, changes, path, code) => {
    const { status, body } = await app.api.patch(`/v1/webhooks/${id}`, changes);
    expect([status, body.error.code]).toEqual([422, 'validation_error']);
    expect(body.error.issues).toMatchObject([{ path: path || 'body', code }]);
  });
});

describe('updateWebhook', () => {
  const update = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
    updateWebhook(id: $id, input: $input) { id }
  }`;

  test.each(refused)('refuses %s', async (_, input, path, code) => {
    expect(await askRefused(app, update, { id, input })).toMatchObject({
      code: 'validation_error',
      issues: [{ path: path ? `input.${path}` : 'input', code }],
    });
  });
});
