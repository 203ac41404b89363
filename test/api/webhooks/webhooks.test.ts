// Webhooks over REST: the secret shown once, rotation, disabling, deletion, the limit.
import { beforeAll, describe, expect, test } from 'vitest';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { liveEventTypes } from '../../../schema/event-types.ts';
import { type TestKey, useRest } from '../../support/app/rest.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

let tenant: TestKey;
let key: string;

const rest = useRest({ FANFARE_MAX_WEBHOOKS: '3' });

async function renewTenant(): Promise<void> {
  tenant = await rest.createTenant();
  ({ key } = tenant);
}

async function create(body: Record<string, unknown> = {}) {
  const answer = await rest.call('POST', '/v1/webhooks', {
    key,
    body: { url: 'https://example.com/hook', ...body },
  });
  expect(answer.status).toBe(201);
  return answer.body.data;
}

async function read(id: string) {
  return (await rest.call('GET', `/v1/webhooks/${id}`, { key })).body.data;
}

async function rowOf(id: string) {
  return rest.context.db
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

function open(ciphertext: Buffer | null, keyId: string | null, id: string): string {
  return rest.context.vault.open(
    { ciphertext: ciphertext!, keyId: keyId! },
    `webhook_subscriptions/${id}`,
  );
}

describe('POST /v1/webhooks', () => {
  beforeAll(renewTenant);

  test('answers all live event types by default, and the secret', async () => {
    const data = await create();
    expect(data).toEqual({
      id: expect.stringMatching(/^wh_/),
      environment: 'production',
      name: null,
      url: 'https://example.com/hook',
      events: liveEventTypes,
      status: 'active',
      active: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      consecutive_failures: 0,
      last_delivery_at: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      secret_preview: `${data.secret.slice(0, 10)}…`,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test('keeps the secret sealed, and shows it nowhere else', async () => {
    const { id, secret } = await create({ name: 'a', events: ['post.failed', 'post.failed'] });
    const row = await rowOf(id);
    expect(row.secret!.includes(secret.slice(6))).toBe(false);
    expect(open(row.secret, row.secret_key_id, id)).toBe(secret);
    const one = await rest.call('GET', `/v1/webhooks/${id}`, { key });
    const all = await rest.call('GET', '/v1/webhooks', { key });
    expect(one.body.data).toMatchObject({ name: 'a', events: ['post.failed'] });
    expect(all.body.data).toHaveLength(2);
    expect(JSON.stringify([one.body, all.body])).not.toContain(secret);
  });

  test('subscribes to an opt-in event type only if the request names it', async () => {
    await renewTenant();
    expect((await create()).events).not.toContain('account.expiring');
    const events = ['account.expiring', 'post.failed'];
    expect((await create({ events })).events).toEqual(events);
  });

  test('can begin disabled, with coming-soon types', async () => {
    const data = await create({ active: false, events: ['post.scheduled'] });
    expect(data).toMatchObject({ status: 'disabled', active: false, disabled_reason: 'user' });
    expect(data.disabled_at).not.toBeNull();
  });

  test('refuses webhooks past the limit of the project, even simultaneous ones', async () => {
    await renewTenant();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        rest.call('POST', '/v1/webhooks', { key, body: { url: 'https://example.com' } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 201, 409, 409, 409, 409, 409,
    ]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body.error).toMatchObject({ code: 'conflict', limit: 3 });
  });
});

describe('POST /v1/webhooks/:id/rotate', () => {
  beforeAll(renewTenant);

  test.each([undefined, null])('replaces the secret with the body %s', async (body) => {
    const before = await create();
    const answer = await rest.call('POST', `/v1/webhooks/${before.id}/rotate`, { key, body });
    expect(answer.status).toBe(200);
    const { secret, ...data } = answer.body.data;
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(before.secret);
    expect(data).toEqual(await read(before.id));
    const row = await rowOf(before.id);
    expect(open(row.secret, row.secret_key_id, before.id)).toBe(secret);
    expect([row.previous_secret, row.previous_secret_until]).toEqual([null, null]);
  });

  test('keeps the old secret for as long as the overlap says', async () => {
    const before = await create();
    const path = `/v1/webhooks/${before.id}/rotate`;
    await rest.call('POST', path, { key, body: { overlap_seconds: 60 } });
    const row = await rowOf(before.id);
    expect(open(row.previous_secret, row.previous_secret_key_id, before.id)).toBe(before.secret);
    const leftMs = row.previous_secret_until!.getTime() - Date.now();
    expect(leftMs).toBeGreaterThan(50_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    await rest.call('POST', path, { key });
    expect((await rowOf(before.id)).previous_secret).toBeNull();
  });

  test('refuses an overlap beyond a day', async () => {
    const path = '/v1/webhooks/wh_any/rotate';
    const answer = await rest.call('POST', path, { key, body: { overlap_seconds: 86_401 } });
    expect(answer.body.error.issues).toMatchObject([
      { path: 'overlap_seconds', code: 'too_big', actual: 86_401, limit: 86_400 },
    ]);
  });
});

describe('PATCH /v1/webhooks/:id', () => {
  beforeAll(renewTenant);

  test('changes only the given fields', async () => {
    const { id } = await create({ name: 'a' });
    const body = { url: 'https://example.org/', events: ['post.partial'], name: null };
    const answer = await rest.call('PATCH', `/v1/webhooks/${id}`, { key, body });
    expect(answer.body.data).toMatchObject({ ...body, status: 'active' });
    expect(answer.body.data).toEqual(await read(id));
  });

  test('disables, and enables again', async () => {
    const { id } = await create();
    const disabled = await rest.call('PATCH', `/v1/webhooks/${id}`, {
      key,
      body: { active: false },
    });
    expect(disabled.body.data).toMatchObject({ status: 'disabled', disabled_reason: 'user' });
    const enabled = await rest.call('PATCH', `/v1/webhooks/${id}`, { key, body: { active: true } });
    expect(enabled.body.data).toMatchObject({ status: 'active', disabled_at: null });
  });

  test('checks a new URL as creation does', async () => {
    const { id } = await create();
    const body = { url: 'https://127.0.0.1/' };
    const answer = await rest.call('PATCH', `/v1/webhooks/${id}`, { key, body });
    expect(answer.body.error.issues).toMatchObject([{ path: 'url', code: 'blocked_address' }]);
  });
});

describe('DELETE /v1/webhooks/:id', () => {
  beforeAll(renewTenant);

  test('cancels waiting deliveries, erases the secrets, and keeps the deliveries readable', async () => {
    const { id } = await create({ events: ['account.connected'] });
    const { db, config } = rest.context;
    await inQuietTransaction(db, (trx) =>
      recordEvent(
        trx,
        {
          projectId: tenant.projectId,
          environment: 'production',
          type: 'account.connected',
          data: {},
          socialAccountId: 'sa_1',
        },
        config,
      ),
    );
    const before = await rest.call('GET', `/v1/webhooks/${id}/deliveries`, { key });
    expect(before.body.data).toMatchObject([{ webhook_id: id, status: 'pending' }]);

    const answer = await rest.call('DELETE', `/v1/webhooks/${id}`, { key });
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(await rowOf(id)).toMatchObject({ secret: null, secret_key_id: null });
    for (const [method, path] of [
      ['GET', `/v1/webhooks/${id}`],
      ['GET', `/v1/webhooks/${id}/deliveries`],
      ['POST', `/v1/webhooks/${id}/rotate`],
      ['DELETE', `/v1/webhooks/${id}`],
    ] as const) {
      expect((await rest.call(method, path, { key })).status).toBe(404);
    }
    const delivery = await rest.call('GET', `/v1/deliveries/${before.body.data[0].id}`, { key });
    expect(delivery.body.data).toMatchObject({
      status: 'canceled',
      next_attempt_at: null,
      url: 'https://example.com/hook',
      attempts: [],
    });
    expect((await rest.call('GET', '/v1/webhooks', { key })).body.data).toEqual([]);
  });
});
