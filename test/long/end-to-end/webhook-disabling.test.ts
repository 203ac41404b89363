// A receiver fails until its webhook is disabled, and recovers. A live stream reports each change.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { ask, subscribeOverSocket, type Message } from '../../support/graphql/graphql.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { answerByPath, Past, patience } from '../../support/receivers/replays.ts';

let app: TestApp;
let receiver: Receiver;
let accountId: string;
let webhookId: string;

beforeAll(async () => {
  [app, receiver] = await Promise.all([
    startApp({
      env: {
        FANFARE_DELIVERY_DELAYS_MS: '50,50,50',
        FANFARE_DISABLE_AFTER_S: '1',
        FANFARE_DISABLE_AFTER_FAILURES: '3',
      },
    }),
    startReceiver(),
  ]);
  accountId = (await app.tenant.connectSandbox('ada')).id;
  webhookId = (await app.tenant.createWebhook(receiver.url, ['post.published'])).id;
});

afterAll(async () => {
  await app.stop();
  await receiver.close();
});

const webhookUpdated = `subscription ($id: ID, $after: String) {
  webhookUpdated(id: $id, after: $after) {
    cursor change webhook { id status disabledReason failingSince consecutiveFailures }
  }
}`;

const subscribe = (variables: Record<string, unknown>, key = app.tenant.key) =>
  subscribeOverSocket({ url: app.url, key, query: webhookUpdated, variables });

const update = (message: Message) => message.data.webhookUpdated;
/** Changes of the webhook since its creation. A stream opened right after may include the creation. */
const turnsOf = (messages: readonly Message[]) =>
  messages
    .map((message) => update(message).change)
    .filter((change) => !['present', 'created'].includes(change));
const isChange = (change: string) => (message: Message) => update(message)?.change === change;

async function publish(): Promise<void> {
  const post = await app.tenant.createPost({ caption: 'hello', account_ids: [accountId] });
  await app.tenant.waitForPost(post.id);
}

async function statuses(): Promise<Record<string, number>> {
  const { body } = await app.api.get(`/v1/webhooks/${webhookId}/deliveries?limit=100`);
  const counts: Record<string, number> = {};
  for (const { status } of body.data) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('a webhook whose receiver dies', () => {
  test('is warned of, disabled, skipped, enabled by its owner, and delivered to again', async () => {
    const stranger = await app.createTenant('stranger');
    await using foreign = subscribe({}, stranger.key);
    await using stream = subscribe({ id: webhookId });
    await using all = subscribe({});
    const [present] = await stream.waitFor(1);
    expect(update(present)).toMatchObject({
      change: 'present',
      webhook: { id: webhookId, status: 'ACTIVE', failingSince: null, consecutiveFailures: 0 },
    });
    await publish();
    await receiver.waitForCount(1);

    receiver.respondWith(() => ({ status: 500 }));
    await publish();
    await stream.until(isChange('failing'));
    expect(update(stream.messages.find(isChange('failing')))).toMatchObject({
      webhook: { status: 'ACTIVE', failingSince: expect.any(String) },
    });
    // One event after the other until it is given up; with the last ones, one still waits.
    await expect
      .poll(
        async () => {
          await publish();
          return (await app.api.get(`/v1/webhooks/${webhookId}`)).body.data.status;
        },
        { timeout: 20_000, interval: 50 },
      )
      .toBe('disabled');
    await stream.until(isChange('disabled'));
    expect(update(stream.messages.find(isChange('disabled')))).toMatchObject({
      webhook: { status: 'DISABLED', disabledReason: 'FAILURES' },
    });

    receiver.respondWith(() => ({ status: 200 }));
    await expect
      .poll(statuses)
      .toSatisfy((counts: object) => !('pending' in counts) && !('retrying' in counts));
    const sentBefore = receiver.requests.length;
    const given = await statuses();
    expect(given).toMatchObject({ delivered: 1, failed: expect.any(Number) });
    expect(given['failed']).toBeGreaterThanOrEqual(3);
    await publish();
    const disabled = await statuses();
    expect(disabled).toEqual({ ...given, skipped: (given['skipped'] ?? 0) + 1 });
    expect(receiver.requests).toHaveLength(sentBefore);

    const { updateWebhook } = await ask(
      app,
      `mutation ($id: ID!) {
        updateWebhook(id: $id, input: { active: true }) {
          status failingSince consecutiveFailures
        }
      }`,
      { id: webhookId },
    );
    expect(updateWebhook).toEqual({
      status: 'ACTIVE',
      failingSince: null,
      consecutiveFailures: 0,
    });
    await publish();
    await receiver.waitForCount(sentBefore + 1);
    await expect.poll(statuses).toEqual({ ...disabled, delivered: 2 });

    const turns = ['failing', 'disabled', 'enabled'];
    await Promise.all([stream, all].map((each) => each.until(isChange('enabled'))));
    expect([stream, all].map(({ messages }) => turnsOf(messages))).toEqual([turns, turns]);
    await using again = subscribe({ id: webhookId, after: update(present).cursor });
    expect(turnsOf(await again.until(isChange('enabled')))).toEqual(turns);
    expect(foreign.messages).toEqual([]);
    await using refused = subscribe({ id: webhookId }, stranger.key);
    const [refusal] = await refused.waitFor(1);
    expect(refusal.errors[0].extensions.code).toBe('not_found');
  });
});

describe('a webhook that is disabled while a delivery is between two attempts', () => {
  test('skips the delivery; once the webhook is enabled, a replay delivers it as the next attempt with the same ids', async () => {
    await using patient = await startApp({ env: { FANFARE_DELIVERY_DELAYS_MS: '50,60000' } });
    await using listening = await startReceiver();
    answerByPath(listening);
    const past = await Past.create(patient, listening);
    await past.addWebhook();
    past.reply(() => ({ status: 503 }));
    const eventId = await past.record();
    const read = async () => (await past.deliveries())[0]!;
    await expect.poll(read, patience).toMatchObject({ status: 'retrying', attempt_count: 2 });
    const { id } = await read();
    await past.setActive(false);
    expect(await read()).toMatchObject({ id, status: 'skipped', next_attempt_at: null });
    past.reply(() => ({ status: 200 }));
    await past.setActive(true);
    expect(await read()).toMatchObject({ id, status: 'skipped' });
    expect(await past.replayed()).toMatchObject({ matched: 1, reopened: 1, delivered: 1 });
    expect(await past.deliveries()).toMatchObject([{ id, status: 'delivered', attempt_count: 3 }]);
    const { body } = await past.tenant.api.get(`/v1/deliveries/${id}`);
    expect(body.data.attempts).toMatchObject([
      { number: 1, status_code: 503 },
      { number: 2, status_code: 503 },
      { number: 3, status_code: 200 },
    ]);
    const ids = past
      .requests()
      .map(({ headers }) => [headers['x-service-delivery'], headers['webhook-id']]);
    expect(ids).toEqual([1, 2, 3].map(() => [id, eventId]));
  });
});
