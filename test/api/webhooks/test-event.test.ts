// Test events: samples of every event type, sent to one webhook without any effect on its health.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signWebhook } from '../../../activities/delivering/signature.ts';
import { eventBody, eventCatalogue, eventTypes } from '../../../schema/event-types.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  [app, receiver] = await Promise.all([startApp(), startReceiver()]);
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

/** Sends a test event, and returns its delivery once that has ended. */
async function sendTest(webhookId: string, body?: object) {
  const answer = await app.api.post(`/v1/webhooks/${webhookId}/test`, body);
  expect(answer.status, answer.text).toBe(202);
  return waitForEnd(answer.body.data.id);
}

async function waitForEnd(id: string) {
  const read = async () => (await app.api.get(`/v1/deliveries/${id}`)).body.data;
  await expect.poll(async () => (await read()).attempt_count, { timeout: 10_000 }).toBe(1);
  return read();
}

const getWebhook = async (id: string) => (await app.api.get(`/v1/webhooks/${id}`)).body.data;

const countsForNothing = { failing_since: null, consecutive_failures: 0, last_delivery_at: null };

/** The values of every member that is named as an id, at any depth. */
function idsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    /^(id|.*_id)$/.test(name) ? [member] : idsIn(member),
  );
}

describe('sample events', () => {
  test.each(eventTypes)('%s fits its schema, and its ids end in _test', (event) => {
    const data = eventCatalogue[event].sample;
    const body = { event, timestamp: new Date().toISOString(), data };
    expect(eventBody(event).parse(body)).toEqual(body);
    const ids = idsIn(data).filter((id) => id !== null);
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) expect(id).toMatch(/_test$/);
  });
});

describe('POST /v1/webhooks/:id/test', () => {
  test('sends a sample of the first subscribed type, signed and marked as a test', async () => {
    const url = `${receiver.url}/first`;
    const webhook = await app.tenant.createWebhook(url, ['account.connected', 'post.failed']);
    const answer = await app.api.post(`/v1/webhooks/${webhook.id}/test`, {});
    expect(answer.status).toBe(202);
    const { data } = answer.body;
    expect(data).toMatchObject({
      webhook_id: webhook.id,
      event: 'account.connected',
      url,
      status: 'pending',
      trigger: 'test',
      attempt_count: 0,
      workflow_id: null,
    });
    const request = await receiver.waitFor(({ path }) => path === '/first');
    expect(request.headers).toMatchObject({
      'x-service-test': 'true',
      'x-service-event': 'account.connected',
      'x-service-delivery': data.id,
      'webhook-id': data.event_id,
    });
    const timestampSeconds = Number(request.headers['webhook-timestamp']);
    const signed = signWebhook({
      secrets: [webhook.secret],
      body: request.body,
      webhookId: data.event_id,
      timestampSeconds,
    });
    expect(request.headers['x-service-signature']).toBe(signed['X-Service-Signature']);
    expect(request.headers['webhook-signature']).toBe(signed['webhook-signature']);
    const event = (await app.api.get(`/v1/events/${data.event_id}`)).body.data;
    expect(event).toMatchObject({ test: true, post_id: null, social_account_id: null });
    const { timestamp } = event;
    const body = {
      event: 'account.connected',
      timestamp,
      data: eventCatalogue['account.connected'].sample,
    };
    expect(request.text).toBe(JSON.stringify(body));
    expect(await waitForEnd(data.id)).toMatchObject({
      status: 'delivered',
      attempt_count: 1,
      next_attempt_at: null,
      attempts: [{ number: 1, trigger: 'schedule', status_code: 200 }],
    });
    expect(await getWebhook(webhook.id)).toMatchObject(countsForNothing);
  });

  test('accepts an empty body', async () => {
    const webhook = await app.tenant.createWebhook(receiver.url, ['post.partial']);
    expect(await sendTest(webhook.id)).toMatchObject({ event: 'post.partial' });
  });

  test('sends types that are not subscribed to or not sent yet', async () => {
    const webhook = await app.tenant.createWebhook(`${receiver.url}/kinds`, ['post.failed']);
    await sendTest(webhook.id, { event: 'account.quota_warning' });
    await sendTest(webhook.id, { event: 'post.scheduled' });
    const sent = receiver.requests.filter(({ path }) => path === '/kinds');
    expect(sent.map((request) => request.json().event)).toEqual([
      'account.quota_warning',
      'post.scheduled',
    ]);
  });

  test('is attempted once, and its failure does not count against the webhook', async () => {
    await using failing = await startReceiver({ respond: () => ({ status: 500 }) });
    const webhook = await app.tenant.createWebhook(failing.url);
    expect(await sendTest(webhook.id)).toMatchObject({
      status: 'failed',
      last_error_code: 'http_5xx',
      next_attempt_at: null,
      attempts: [{ next_attempt_at: null }],
    });
    expect(await getWebhook(webhook.id)).toMatchObject({ ...countsForNothing, status: 'active' });
    const delivery = await app.context.db
      .selectFrom('deliveries')
      .select('failed_at')
      .where('webhook_id', '=', webhook.id)
      .executeTakeFirstOrThrow();
    expect(delivery.failed_at).toBeNull();
  });

  test('reaches a disabled webhook, and leaves it disabled', async () => {
    const webhook = await app.tenant.createWebhook(receiver.url);
    await app.api.patch(`/v1/webhooks/${webhook.id}`, { active: false });
    expect(await sendTest(webhook.id)).toMatchObject({ status: 'delivered' });
    expect(await getWebhook(webhook.id)).toMatchObject({ status: 'disabled' });
  });

  test('is not sent to a forbidden address, as with real events', async () => {
    const webhook = await app.tenant.createWebhook(receiver.url);
    // A name may come to point anywhere after its check.
    await app.context.db
      .updateTable('webhook_subscriptions')
      .set({ url: 'https://10.0.0.1/hook' })
      .where('id', '=', webhook.id)
      .execute();
    expect(await sendTest(webhook.id)).toMatchObject({
      status: 'failed',
      last_error_code: 'blocked_address',
      attempts: [{ error_code: 'blocked_address', status_code: null }],
    });
  });

  test('answers a repeat with the same Idempotency-Key as the first time', async () => {
    const webhook = await app.tenant.createWebhook(`${receiver.url}/once`);
    const headers = { 'Idempotency-Key': 'test-event' };
    const send = (body: object) =>
      app.api.post(`/v1/webhooks/${webhook.id}/test`, body, { headers });
    const [first, second] = [await send({}), await send({})];
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second).toMatchObject({ status: 202, body: { data: first.body.data } });
    expect(await send({ event: 'post.failed' })).toMatchObject({ status: 409 });
    const list = await app.api.get(`/v1/webhooks/${webhook.id}/deliveries`);
    expect(list.body.data).toHaveLength(1);
  });

  test('refuses unknown event types and unknown webhooks', async () => {
    const webhook = await app.tenant.createWebhook(receiver.url);
    const path = `/v1/webhooks/${webhook.id}/test`;
    const unknown = await app.api.post(path, { event: 'post.deleted' });
    expect(unknown).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_error', issues: [{ path: 'event' }] } },
    });
    const more = await app.api.post(path, { kind: 'post.failed' });
    expect(more).toMatchObject({ status: 422, body: { error: { issues: [{ path: 'kind' }] } } });
    const stranger = await app.createTenant();
    expect(await stranger.api.post(path, {})).toMatchObject({ status: 404 });
    await app.api.delete(`/v1/webhooks/${webhook.id}`);
    expect(await app.api.post(path, {})).toMatchObject({ status: 404 });
  });
});

describe('GET /v1/events', () => {
  test('lists test events apart from real ones', async () => {
    const tenant = await app.createTenant();
    const webhook = await tenant.createWebhook(receiver.url);
    const { body } = await tenant.api.post(`/v1/webhooks/${webhook.id}/test`);
    await tenant.connectSandbox('ada');
    const list = async (query: string) => (await tenant.api.get(`/v1/events${query}`)).body.data;
    expect(await list('?test=true')).toMatchObject([{ id: body.data.event_id, test: true }]);
    expect(await list('')).toMatchObject([{ event: 'account.connected', test: false }]);
  });
});

describe('testWebhook', () => {
  const mutation = `mutation ($id: ID!, $input: TestWebhookInput, $key: String) {
    testWebhook(id: $id, input: $input, idempotencyKey: $key) { id event trigger status eventId }
  }`;

  test('sends a test event in GraphQL, once per idempotency key', async () => {
    const webhook = await app.tenant.createWebhook(`${receiver.url}/graphql`, ['post.published']);
    const variables = { id: webhook.id, input: { event: 'ACCOUNT_REFRESHED' }, key: 'graphql-1' };
    const { testWebhook: delivery } = await ask(app, mutation, variables);
    expect(delivery).toMatchObject({
      event: 'ACCOUNT_REFRESHED',
      trigger: 'TEST',
      status: 'PENDING',
    });
    expect((await ask(app, mutation, variables)).testWebhook).toEqual(delivery);
    const { testWebhook: byDefault } = await ask(app, mutation, { id: webhook.id });
    expect(byDefault.event).toBe('POST_PUBLISHED');
    const request = await receiver.waitFor(
      ({ headers }) => headers['x-service-delivery'] === delivery.id,
    );
    expect(request.json().event).toBe('account.refreshed');
    const { key } = await app.createTenant();
    expect(await askRefused(app, mutation, { id: webhook.id }, key)).toMatchObject({
      code: 'not_found',
    });
  });
});
