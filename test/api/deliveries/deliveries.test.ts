// Deliveries and events over REST: filters, pages, attempts, what a webhook's health is read from.
import { beforeAll, describe, expect, test } from 'vitest';
import {
  insertAttempts,
  type AttemptRecord,
} from '../../../schema/database/webhooks/delivery-attempts.ts';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { eventCatalogue, type EventType } from '../../../schema/event-types.ts';
import { type TestKey, useRest } from '../../support/app/rest.ts';
import { inQuietTransaction, quietNotifier } from '../../support/rows/quiet-transaction.ts';

let tenant: TestKey;
let webhookId: string;
const postData = { ...eventCatalogue['post.published'].sample, id: 'post_1' };

const rest = useRest();
beforeAll(async () => {
  tenant = await rest.createTenant();
  const answer = await call('POST', '/v1/webhooks', { url: 'https://example.com/hook' });
  webhookId = answer.body.data.id;
  for (const type of ['post.published', 'post.failed', 'post.failed', 'post.partial'] as const) {
    await record(type);
  }
});

function call(method: string, path: string, body?: unknown) {
  return rest.call(method, path, { key: tenant.key, body });
}

async function record(type: EventType): Promise<void> {
  await inQuietTransaction(rest.context.db, (trx) =>
    recordEvent(
      trx,
      {
        projectId: tenant.projectId,
        environment: 'production',
        type,
        data: postData,
        postId: 'post_1',
      },
      rest.context.config,
    ),
  );
}

async function list(query = '') {
  const answer = await call('GET', `/v1/webhooks/${webhookId}/deliveries${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

function attempt(deliveryId: string, number: number, changes: Partial<AttemptRecord>) {
  return {
    delivery_id: deliveryId,
    scheduled_attempts: number - 1,
    ladder_start: 0,
    started_at: new Date(),
    ended_at: new Date(),
    timings: { dns_ms: null, connect_ms: 1, tls_ms: 2, first_byte_ms: 3, total_ms: 4 },
    remote_address: '192.0.2.1',
    status_code: 503,
    error_code: 'http_5xx',
    request_headers: { 'X-Service-Signature': '[redacted]' },
    response_headers: { server: 'x' },
    response_body: 'busy',
    status: 'retrying' as const,
    next_attempt_at: new Date(Date.now() + 30_000),
    ...changes,
  };
}

describe('GET /v1/webhooks/:id/deliveries', () => {
  test('lists deliveries, newest first', async () => {
    const { data, meta } = await list();
    expect(data.map((delivery: { event: string }) => delivery.event)).toEqual([
      'post.partial',
      'post.failed',
      'post.failed',
      'post.published',
    ]);
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      webhook_id: webhookId,
      event_id: expect.stringMatching(/^evt_/),
      post_id: expect.stringMatching(/^post_/),
      event: 'post.partial',
      url: 'https://example.com/hook',
      status: 'pending',
      trigger: 'event',
      attempt_count: 0,
      next_attempt_at: expect.any(String),
      last_status_code: null,
      last_error_code: null,
      created_at: expect.any(String),
      delivered_at: null,
      workflow_id: null,
    });
    expect(meta).toEqual({ limit: 25, has_more: false, next_cursor: null });
  });

  test('walks the pages to the end, each row once', async () => {
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 10; pages++) {
      const { data, meta } = await list(`?limit=1${cursor}`);
      seen.push(...data.map((delivery: { id: string }) => delivery.id));
      if (!meta.has_more) break;
      cursor = `&cursor=${meta.next_cursor}`;
    }
    const all = await list();
    expect(seen).toEqual(all.data.map((delivery: { id: string }) => delivery.id));
  });

  test('filters by status, event and time', async () => {
    const count = async (query: string) => (await list(query)).data.length;
    const now = encodeURIComponent(new Date(Date.now() + 1_000).toISOString());
    const { data } = await list('?event=post.published');
    const first = encodeURIComponent(data[0].created_at);
    expect(await count('?event=post.failed')).toBe(2);
    expect(await count('?status=pending&event=post.partial')).toBe(1);
    expect(await count('?status=delivered')).toBe(0);
    expect(await count(`?since=${first}`)).toBe(4);
    expect(await count(`?until=${first}`)).toBe(0);
    expect(await count(`?since=${now}`)).toBe(0);
    expect(await count(`?until=${now}`)).toBe(4);
  });
});

describe('GET /v1/deliveries/:id', () => {
  test('shows every attempt, and the webhook shows its own health', async () => {
    const { data } = await list();
    const [first, second, third] = data.map((delivery: { id: string }) => delivery.id);
    const { db } = rest.context;
    const failed = { status: 'failed', next_attempt_at: null } as const;
    await insertAttempts(db, quietNotifier, [attempt(third, 1, failed)]);
    await insertAttempts(db, quietNotifier, [attempt(first, 1, {}), attempt(second, 1, failed)]);
    const health = await call('GET', `/v1/webhooks/${webhookId}`);
    expect(health.body.data).toMatchObject({ consecutive_failures: 2, last_delivery_at: null });

    const ended = new Date(Date.now() + 5);
    const delivered = {
      status: 'delivered',
      next_attempt_at: null,
      status_code: 200,
      error_code: null,
      ended_at: ended,
    } as const;
    await insertAttempts(db, quietNotifier, [attempt(first, 2, delivered)]);
    const answer = await call('GET', `/v1/deliveries/${first}`);
    expect(answer.body.data).toMatchObject({
      status: 'delivered',
      attempt_count: 2,
      last_status_code: 200,
      delivered_at: ended.toISOString(),
      attempts: [
        {
          number: 1,
          trigger: 'schedule',
          timings: { dns_ms: null, total_ms: 4 },
          status_code: 503,
          error_code: 'http_5xx',
          request_headers: { 'X-Service-Signature': '[redacted]' },
          response_body: 'busy',
        },
        { number: 2, status_code: 200, error_code: null, next_attempt_at: null },
      ],
    });
    const mended = await call('GET', `/v1/webhooks/${webhookId}`);
    expect(mended.body.data).toMatchObject({
      consecutive_failures: 0,
      last_delivery_at: ended.toISOString(),
    });
  });
});

describe('GET /v1/events', () => {
  test('lists recorded events, with the data that webhooks receive', async () => {
    const { body } = await call('GET', '/v1/events?event=post.partial');
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        event: 'post.partial',
        timestamp: expect.any(String),
        data: postData,
        post_id: 'post_1',
        social_account_id: null,
        test: false,
      },
    ]);
    const one = await call('GET', `/v1/events/${body.data[0].id}`);
    expect(one.body.data).toEqual(body.data[0]);
    const { rows } = await readBody(body.data[0].id);
    expect(JSON.parse(rows).timestamp).toBe(body.data[0].timestamp);
  });

  test('shows no test events unless asked', async () => {
    expect((await call('GET', '/v1/events?test=true')).body.data).toEqual([]);
    expect((await call('GET', '/v1/events')).body.data).toHaveLength(4);
  });
});

async function readBody(eventId: string) {
  const row = await rest.context.db
    .selectFrom('events')
    .select('body')
    .where('id', '=', eventId)
    .executeTakeFirstOrThrow();
  return { rows: row.body };
}

describe('GET /v1/event-types', () => {
  test('lists the catalog with a schema of each body', async () => {
    const { body } = await call('GET', '/v1/event-types');
    expect(body.meta).toEqual({ limit: 14, has_more: false, next_cursor: null });
    expect(
      body.data.map((type: { event: string; availability: string }) => [
        type.event,
        type.availability,
      ]),
    ).toEqual([
      ['post.published', 'live'],
      ['post.failed', 'live'],
      ['post.partial', 'live'],
      ['account.connected', 'live'],
      ['account.disconnected', 'live'],
      ['account.expiring', 'opt_in'],
      ['post.edited', 'opt_in'],
      ['post.unpublished', 'opt_in'],
      ['post.updated', 'opt_in'],
      ['platform_app.credits_exhausted', 'opt_in'],
      ['post.scheduled', 'coming_soon'],
      ['account.refreshed', 'coming_soon'],
      ['account.quota_warning', 'coming_soon'],
      ['account.quota_exceeded', 'coming_soon'],
    ]);
    expect(body.data[4].json_schema).toMatchObject({
      type: 'object',
      required: ['event', 'timestamp', 'data'],
      properties: { event: { const: 'account.disconnected' } },
    });
  });
});
