// The API key of a request, as each key may read it.
import { describe, expect, test } from 'vitest';
import { createApi } from '../../support/app/api.ts';
import { useApp } from '../../support/app/app.ts';
import { ask } from '../../support/graphql/graphql.ts';

const app = useApp({ roles: { api: true, worker: false } });

describe('the current API key', () => {
  test.each([
    { name: 'all' },
    { name: 'one scope', scopes: ['webhooks:read'] },
    { name: 'test', environment: 'test', expires_at: '2100-01-01T00:00:00.000Z' },
  ])('is shown with its project: %o', async (wanted) => {
    const { key, ...created } = (await app.api.post('/v1/api-keys', wanted)).body.data;
    const { status, body } = await createApi(app.url, key).get('/v1/api-keys/current');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      ...created,
      last_used_at: body.data.last_used_at,
      project: { id: app.tenant.projectId, name: 'test' },
    });
    expect(JSON.stringify(body)).not.toContain(key);
    const query = `{ currentApiKey {
      apiKey { id name scopes environment expiresAt } project { projectId name } } }`;
    const { currentApiKey } = await ask(app, query, {}, key);
    expect(currentApiKey).toEqual({
      apiKey: {
        id: created.id,
        name: created.name,
        scopes: created.scopes.map((scope: string) => scope.replace(':', '_').toUpperCase()),
        environment: created.environment.toUpperCase(),
        expiresAt: created.expires_at,
      },
      project: { projectId: app.tenant.projectId, name: 'test' },
    });
  });

  test('needs a key', async () => {
    expect((await createApi(app.url, '').get('/v1/api-keys/current')).status).toBe(401);
  });
});
