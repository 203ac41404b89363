// Each of the five live event types arrives at a receiver, signed.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebhookWithSecret } from '../../schema/webhooks.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { completeConsent } from '../support/app/consent.ts';
import {
  startReceiver,
  type ReceivedRequest,
  type Receiver,
} from '../support/receivers/receiver.ts';

let app: TestApp;
let receiver: Receiver;
let webhook: WebhookWithSecret;

beforeAll(async () => {
  [app, receiver] = await Promise.all([
    startApp({ env: { FANFARE_RECONCILE_DELAYS_MS: '0,50', FANFARE_UNAVAILABLE_DELAYS_MS: '20' } }),
    startReceiver(),
  ]);
  webhook = await app.tenant.createWebhook(`${receiver.url}/hook`);
});

afterAll(async () => {
  await app.stop();
  await receiver.close();
});

interface Envelope {
  event: string;
  timestamp: string;
  data: Record<string, unknown> & { results?: Record<string, unknown>[] };
}

/** The next request with this event, its signatures checked both ways. */
async function receive(event: string, isOurs: (data: Envelope['data']) => boolean) {
  const request = await receiver.waitFor((request) => {
    const body = request.json() as Envelope;
    return body.event === event && isOurs(body.data);
  });
  expectGenuine(request);
  const body = request.json() as Envelope;
  expect(Object.keys(body)).toEqual(['event', 'timestamp', 'data']);
  expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(request.headers['x-service-event']).toBe(event);
  return body;
}

function expectGenuine({ headers, body, text }: ReceivedRequest): void {
  const { secret } = webhook;
  const hmac = createHmac('sha256', secret).update(body).digest('hex');
  expect(headers['x-service-signature']).toBe(`sha256=${hmac}`);
  expect(headers['content-type']).toBe('application/json');
  new Webhook(secret).verify(text, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });
}

async function publish(outcomes: (string | undefined)[]) {
  const accounts = await Promise.all(outcomes.map((_, i) => app.tenant.connectSandbox(`user${i}`)));
  return app.tenant.createPost({
    caption: 'Hello, all',
    metadata: { campaign: 'spring' },
    platform_posts: outcomes.map((outcome, i) => ({
      account_id: accounts[i]!.id,
      ...(outcome ? { platform_options: { outcome } } : {}),
    })),
  });
}

describe('post events', () => {
  test('post.published: every target, with its id and url on the network', async () => {
    const post = await publish([undefined, undefined]);
    expect(post.status).toBe('pending');
    const { data } = await receive('post.published', ({ id }) => id === post.id);
    expect(data).toMatchObject({
      id: post.id,
      caption: 'Hello, all',
      status: 'published',
      created_at: post.created_at,
      scheduled_at: null,
      metadata: { campaign: 'spring' },
    });
    expect(data.results).toHaveLength(2);
    for (const result of data.results!) {
      expect(result).toMatchObject({
        platform: 'sandbox',
        status: 'published',
        external_id: expect.any(String),
        published_at: expect.any(String),
        error_code: null,
        error_message: null,
      });
      const page = await fetch(String(result['url']));
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('Hello, all');
    }
  });

  test('post.failed: what the network said, for every target', async () => {
    const post = await publish(['rejected']);
    const { data } = await receive('post.failed', ({ id }) => id === post.id);
    expect(data).toMatchObject({
      status: 'failed',
      published_at: null,
      results: [
        {
          status: 'failed',
          external_id: null,
          url: null,
          published_at: null,
          error_code: 'rejected',
          error_message: expect.any(String),
        },
      ],
    });
  });

  test('post.partial: published targets and failed ones', async () => {
    const post = await publish([undefined, 'rejected']);
    const { data } = await receive('post.partial', ({ id }) => id === post.id);
    expect(data.status).toBe('partial');
    expect(data.results!.map((result) => result['status'])).toEqual(['published', 'failed']);
  });

  test('a post whose answer was lost is found, and exists only once', async () => {
    const post = await publish(['answer_lost']);
    const { data } = await receive('post.published', ({ id }) => id === post.id);
    const [result] = data.results!;
    const posts = await app.database.db
      .selectFrom('sandbox_posts')
      .select('id')
      .where('reference', '=', String(result!['id']))
      .execute();
    expect(posts.map(({ id }) => id)).toEqual([result!['external_id']]);
  });
});

describe('account events', () => {
  test('account.connected as byo, by plain credentials', async () => {
    const account = await app.tenant.connectSandbox('carol', { external_user_id: 'u-1' });
    const { data } = await receive(
      'account.connected',
      ({ social_account_id }) => social_account_id === account.id,
    );
    expect(data).toEqual({
      social_account_id: account.id,
      platform: 'sandbox',
      account_name: 'carol',
      external_user_id: 'u-1',
      connection_type: 'byo',
    });
  });

  test('account.connected as managed, through the hosted page', async () => {
    const accountId = await completeConsent(app.api, { handle: 'dora', externalUserId: 'u-2' });
    const { data } = await receive(
      'account.connected',
      ({ social_account_id }) => social_account_id === accountId,
    );
    expect(data).toMatchObject({
      account_name: 'dora',
      external_user_id: 'u-2',
      connection_type: 'managed',
    });
  });

  test('account.disconnected by the user', async () => {
    const account = await app.tenant.connectSandbox('erin');
    const answer = await app.api.delete(`/v1/accounts/${account.id}`);
    expect(answer.status).toBe(204);
    const { data } = await receive(
      'account.disconnected',
      ({ social_account_id }) => social_account_id === account.id,
    );
    expect(data['reason']).toBe('user');
  });

  test.each([
    ['token_expired', 'token_expired'],
    ['token_revoked', 'revoked'],
  ])('account.disconnected when the network says %s', async (outcome, reason) => {
    const account = await app.tenant.connectSandbox(`frank-${reason}`);
    const post = await app.tenant.createPost({
      caption: 'Hello',
      platform_posts: [{ account_id: account.id, platform_options: { outcome } }],
    });
    const { data } = await receive(
      'account.disconnected',
      ({ social_account_id }) => social_account_id === account.id,
    );
    expect(data['reason']).toBe(reason);
    const failed = await receive('post.failed', ({ id }) => id === post.id);
    expect(failed.data.results![0]!['error_code']).toBe(outcome);
    const after = await app.api.get(`/v1/accounts/${account.id}`);
    expect(after.body.data.status).toBe('reconnect_required');
  });
});
