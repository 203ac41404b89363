// Replays: a range of a webhook's past is sent again, to a real receiver.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { answerByPath, Past, patience } from '../../support/receivers/replays.ts';

/** Two delays keep the file short: each wake of a failing batch takes about a second. */
const delaysMs = [10, 10];
const attempts = delaysMs.length + 1;

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  [app, receiver] = await Promise.all([
    startApp({ env: { FANFARE_DELIVERY_DELAYS_MS: delaysMs.join() } }),
    startReceiver(),
  ]);
  answerByPath(receiver);
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

const failing = () => ({ status: 503 });
const working = () => ({ status: 200 });
const slow = () => ({ status: 200, delayMs: 1_500 });

describe.concurrent('POST /v1/webhooks/:id/replay', () => {
  test('sends skipped and failed deliveries again under the same ids, and continues their attempt numbers', async () => {
    const past = await Past.create(app, receiver);
    await past.addWebhook();
    past.reply(failing);
    await past.record();
    await past.waitForStatuses('failed');
    await past.setActive(false);
    await past.record();
    const before = await past.deliveries();
    expect(before).toMatchObject([{ status: 'skipped' }, { status: 'failed' }]);
    past.reply(working);
    await past.setActive(true);

    const { replay_id, matched } = await past.replay();
    expect(matched).toBe(2);
    expect(await past.waitForEnd(replay_id)).toEqual({
      id: replay_id,
      webhook_id: past.webhookId,
      status: 'completed',
      from: expect.any(String),
      to: expect.any(String),
      since: expect.any(String),
      until: expect.any(String),
      status_filter: ['failed', 'skipped'],
      matched: 2,
      reopened: 2,
      pending: 0,
      delivered: 2,
      failed: 0,
      skipped: 0,
      canceled: 0,
      created_at: expect.any(String),
      concluded_at: expect.any(String),
    });
    const [skipped, failed] = before;
    expect(await past.deliveries()).toMatchObject([
      { id: skipped!.id, event_id: skipped!.event_id, trigger: 'replay', attempt_count: 1 },
      {
        id: failed!.id,
        event_id: failed!.event_id,
        trigger: 'replay',
        attempt_count: attempts + 1,
      },
    ]);
    const sent = past
      .requests()
      .filter(({ headers }) => headers['x-service-delivery'] === failed!.id);
    expect(sent.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(attempts + 1).fill(failed!.event_id),
    );
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1);
    const { body } = await past.tenant.api.get(`/v1/deliveries/${failed!.id}`);
    const numbers = body.data.attempts.map((attempt: { number: number }) => attempt.number);
    expect(numbers).toEqual(sent.map((_, i) => i + 1));
  });

  test('begins a whole new retry schedule, each time', async () => {
    const past = await Past.withSkipped(app, receiver, 1);
    past.reply(failing);
    expect(await past.replayed()).toMatchObject({ failed: 1, delivered: 0 });
    expect(past.requests()).toHaveLength(attempts);
    expect(await past.replayed({ status: ['failed', 'failed'] })).toMatchObject({
      status_filter: ['failed'],
      failed: 1,
    });
    expect(past.requests()).toHaveLength(2 * attempts);
    expect(await past.deliveries()).toMatchObject([
      { status: 'failed', attempt_count: 2 * attempts },
    ]);
  });

  test('sends delivered events again only if the request asks for them', async () => {
    const past = await Past.create(app, receiver);
    await past.addWebhook();
    await past.record();
    await past.waitForStatuses('delivered');
    expect(await past.replayed()).toMatchObject({ status: 'completed', matched: 0 });
    expect(await past.replayed({ status: ['delivered'] })).toMatchObject({
      matched: 1,
      delivered: 1,
    });
    expect(past.requests()).toHaveLength(2);
  });

  test('keeps last_delivery_at of the webhook even if the repeated delivery fails', async () => {
    const past = await Past.create(app, receiver);
    await past.addWebhook();
    await past.record();
    await past.waitForStatuses('delivered');
    past.reply(failing);
    expect(await past.replayed({ status: ['delivered'] })).toMatchObject({ failed: 1 });
    const [delivery] = await past.deliveries();
    expect(delivery).toMatchObject({ status: 'failed', delivered_at: expect.any(String) });
    const { body } = await past.tenant.api.get(`/v1/webhooks/${past.webhookId}`);
    expect(body.data).toMatchObject({
      last_delivery_at: delivery!.delivered_at,
      consecutive_failures: 1,
    });
  });

  test('sends events that are older than the webhook, and dates their deliveries by the events', async () => {
    const past = await Past.create(app, receiver);
    const wanted = [await past.record(), await past.record()];
    await past.record('post.failed');
    const tested = await past.record();
    const { db } = app.context;
    await db.updateTable('events').set({ is_test: true }).where('id', '=', tested).execute();
    await past.addWebhook(['post.published']);
    const late = await past.record();
    await past.waitForStatuses('delivered');
    expect(await past.replayed({ status: ['missing', 'failed'] })).toMatchObject({
      matched: 2,
      reopened: 2,
      delivered: 2,
    });
    const rows = await past.deliveries();
    expect(rows.map((delivery) => delivery.event_id)).toEqual([...wanted, late].toReversed());
    const event = await db
      .selectFrom('events')
      .select('created_at')
      .where('id', '=', wanted[0]!)
      .executeTakeFirstOrThrow();
    expect(rows[2]).toMatchObject({
      created_at: event.created_at.toISOString(),
      trigger: 'replay',
    });
    expect(await past.replay({ status: ['missing'] })).toMatchObject({ matched: 0 });
  });

  test('never sends test events', async () => {
    const past = await Past.withSkipped(app, receiver, 1);
    const { db } = app.context;
    await db
      .updateTable('deliveries')
      .set({ trigger: 'test' })
      .where('webhook_id', '=', past.webhookId)
      .execute();
    expect(await past.replayed()).toMatchObject({ matched: 0, reopened: 0 });
  });

  test.each([
    ['from', 'to'],
    ['since', 'until'],
  ])('sends only deliveries in the range from `%s` to `%s`', async (first, last) => {
    const past = await Past.withSkipped(app, receiver, 3);
    const [newest, middle] = await past.deliveries();
    const [from, to] = [middle!.created_at, newest!.created_at];
    const replay = await past.replayed({ [first]: from, [last]: to });
    expect(replay).toMatchObject({ matched: 1, from, to, since: from, until: to });
    await past.waitForStatuses('skipped', 'delivered', 'skipped');
  });

  test('ends as canceled when the webhook is deleted meanwhile', async () => {
    const past = await Past.withSkipped(app, receiver, 2);
    past.reply(slow);
    const { replay_id } = await past.replay();
    await receiver.waitFor((request) => request.path === past.path);
    await past.tenant.api.delete(`/v1/webhooks/${past.webhookId}`);
    expect(await past.waitForEnd(replay_id)).toMatchObject({ status: 'canceled', pending: 0 });
  });

  test('continues to its end if the webhook is disabled meanwhile', async () => {
    const past = await Past.withSkipped(app, receiver, 2);
    past.reply(() => ({ status: 503, delayMs: 500 }));
    const { replay_id } = await past.replay();
    await receiver.waitFor((request) => request.path === past.path);
    await past.setActive(false);
    expect(await past.waitForEnd(replay_id)).toMatchObject({ status: 'completed', skipped: 2 });
  });
});

describe.concurrent('GET /v1/webhooks/:id/replays/:replay_id', () => {
  test('shows the counts while the replay runs, and reports them to the live feed', async () => {
    const past = await Past.withSkipped(app, receiver, 2);
    past.reply(() => (past.requests().length === 1 ? slow() : working()));
    const { replay_id } = await past.replay();
    const halfway = { status: 'running', matched: 2, reopened: 2, pending: 1, delivered: 1 };
    await vi.waitFor(
      async () => expect(await past.progress(replay_id)).toMatchObject(halfway),
      patience,
    );
    const done = await past.waitForEnd(replay_id);
    expect(done).toMatchObject({ status: 'completed', pending: 0, delivered: 2 });
    const changes = await app.context.db
      .selectFrom('changes')
      .select('kind')
      .where('subject_id', '=', replay_id)
      .where('subject', '=', 'replay')
      .orderBy('id')
      .execute();
    const kinds = changes.map((change) => change.kind);
    expect([kinds[0], kinds[1], kinds.at(-1)]).toEqual(['created', 'progressed', 'completed']);
    const list = await past.tenant.api.get(`/v1/webhooks/${past.webhookId}/replays`);
    expect(list.body.data).toEqual([done]);
  });

  test('finds the replay only under its own webhook', async () => {
    const past = await Past.withSkipped(app, receiver, 0);
    const { replay_id } = await past.replay();
    const other = await past.tenant.createWebhook(receiver.url);
    const path = `/v1/webhooks/${other.id}/replays/${replay_id}`;
    expect((await past.tenant.api.get(path)).status).toBe(404);
  });
});
