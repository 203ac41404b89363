// API keys over REST: shown once, no wider than their maker, revoked, expired, their last use.
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { hashKey } from '../../../api/http/auth/api-keys.ts';
import { findApiKeyByHash } from '../../../schema/database/api-keys.ts';
import { scopes } from '../../../schema/scopes.ts';
import { type TestKey, useRest } from '../../support/app/rest.ts';

let tenant: TestKey;

const rest = useRest();
beforeAll(async () => {
  tenant = await rest.createTenant();
});

function create(body: Record<string, unknown>, key = tenant.key) {
  return rest.call('POST', '/v1/api-keys', { key, body: { name: 'new', ...body } });
}

async function statusOf(key: string): Promise<number> {
  return (await rest.call('GET', '/v1/limits', { key })).status;
}

describe('POST /v1/api-keys', () => {
  test('shows the key in this answer only, and stores its hash only', async () => {
    const { status, body } = await create({});
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'new',
      key: expect.stringMatching(/^fan_live_[\w-]{43}$/),
      prefix: body.data.key.slice(0, 13),
      scopes: [...scopes],
      environment: 'production',
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      created_at: expect.any(String),
    });
    const { key, id } = body.data;
    expect(await statusOf(key)).toBe(200);
    const one = await rest.call('GET', `/v1/api-keys/${id}`, { key: tenant.key });
    const all = await rest.call('GET', '/v1/api-keys', { key: tenant.key });
    expect(JSON.stringify([one.body, all.body])).not.toContain(key.slice(13));
    expect(JSON.stringify(await findApiKeyByHash(rest.context.db, hashKey(key)))).not.toContain(
      key.slice(13),
    );
  });

  test('gives a new key no scope that the calling key lacks', async () => {
    const maker = await create({ scopes: ['keys:write', 'posts:read'] });
    const { key } = maker.body.data;
    const wide = await create({ scopes: ['posts:read', 'posts:write'] }, key);
    expect(wide).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope', required_scope: 'posts:write' } },
    });
    expect((await create({}, key)).status).toBe(403);
    expect((await create({ scopes: ['posts:read'] }, key)).status).toBe(201);
  });

  test('makes only test keys if a test key calls it', async () => {
    const maker = await create({ environment: 'test' });
    const { key } = maker.body.data;
    expect(key).toMatch(/^fan_test_/);
    expect((await create({}, key)).body.error.code).toBe('insufficient_scope');
    expect((await create({ environment: 'test' }, key)).status).toBe(201);
  });

  test('makes no key that would outlive an expiring key that calls it', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const maker = await create({ expires_at });
    const { key } = maker.body.data;
    const later = new Date(Date.now() + 120_000).toISOString();
    for (const body of [{}, { expires_at: later }]) {
      const refused = await create(body, key);
      expect(refused.status).toBe(422);
      expect(refused.body.error.issues).toMatchObject([
        { path: 'expires_at', code: 'outlives_its_maker', limit: expires_at },
      ]);
    }
    expect((await create({ expires_at }, key)).status).toBe(201);
  });

  test.each([
    [{ scopes: ['posts:delete'] }, 'scopes[0]', 'invalid_value'],
    [{ scopes: [] }, 'scopes', 'too_small'],
    [{ environment: 'staging' }, 'environment', 'invalid_value'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'in_the_past'],
    [{ expires_at: 'soon' }, 'expires_at', 'invalid_format'],
    [{ key: 'mine' }, 'key', 'unknown_field'],
  ])('refuses %o', async (body, path, code) => {
    const answer = await create(body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path, code }]);
  });
});

describe('DELETE /v1/api-keys/:id', () => {
  test('ends the key at once in this process', async () => {
    const { body } = await create({});
    expect(await statusOf(body.data.key)).toBe(200);
    const path = `/v1/api-keys/${body.data.id}`;
    expect((await rest.call('DELETE', path, { key: tenant.key })).status).toBe(204);
    expect(await statusOf(body.data.key)).toBe(401);
    expect((await rest.call('DELETE', path, { key: tenant.key })).status).toBe(204);
    const read = await rest.call('GET', path, { key: tenant.key });
    expect(read.body.data.revoked_at).not.toBeNull();
  });

  test('ends the key in another process within five seconds', async () => {
    const { body } = await create({});
    expect(await statusOf(body.data.key)).toBe(200);
    await rest.context.db
      .updateTable('api_keys')
      .set({ revoked_at: new Date() })
      .where('id', '=', body.data.id)
      .execute();
    await vi.waitFor(async () => expect(await statusOf(body.data.key)).toBe(401), {
      timeout: 5_000,
      interval: 200,
    });
  });
});

describe('an expired key', () => {
  test('is 401 from that moment on', async () => {
    const expiresAt = new Date(Date.now() + 600);
    const { body } = await create({ expires_at: expiresAt.toISOString() });
    expect(await statusOf(body.data.key)).toBe(200);
    await expect.poll(() => statusOf(body.data.key), { interval: 10 }).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
    // Its row is read again later than that.
    expect(Date.now()).toBeLessThan(expiresAt.getTime() + 2_000);
  });
});

describe('last_used_at', () => {
  test('is written soon after the first use', async () => {
    const { body } = await create({});
    await statusOf(body.data.key);
    await vi.waitFor(async () => {
      const path = `/v1/api-keys/${body.data.id}`;
      const read = await rest.call('GET', path, { key: tenant.key });
      expect(read.body.data.last_used_at).not.toBeNull();
    });
  });
});

describe('a key of any form', () => {
  test('works, since the lookup uses only its hash', async () => {
    const key = 'a key/of my own=+ chosen'.replaceAll(' ', '-');
    await rest.createTenant({ key });
    expect(await statusOf(key)).toBe(200);
  });
});
