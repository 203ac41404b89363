// Every change of keys, webhooks, accounts and the project is one log line, whichever API it came by.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { completeConsent } from '../../support/app/consent.ts';
import { ask } from '../../support/graphql/graphql.ts';

let app: TestApp;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const log = pino({ level: 'info' }, { write });
  app = await startApp({ roles: { api: true, worker: false }, log });
});
afterAll(() => app?.stop());

/** The audit lines that `work` logs. */
async function linesOf(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  lines.length = 0;
  await work();
  return lines.filter(({ component }) => component === 'audit');
}

const who = () => ({ project_id: app.tenant.projectId, key_id: app.tenant.caller.keyId });
const headers = (id: string) => ({ headers: { 'X-Request-Id': id } });
const url = 'https://127.0.0.1:9/hook?token=word';

describe('a change over REST', () => {
  test('is logged with the API key and the request if it changes a webhook', async () => {
    const { api } = app;
    let id = '';
    const logged = await linesOf(async () => {
      id = (await api.post('/v1/webhooks', { url }, headers('r-1'))).body.data.id;
      const path = `/v1/webhooks/${id}`;
      await api.patch(path, { name: 'b', active: false }, headers('r-2'));
      await api.post(`${path}/rotate`, {}, headers('r-3'));
      await api.delete(path, headers('r-4'));
    });
    const kinds = [
      ['created', 'r-1'],
      ['updated', 'r-2'],
      ['disabled', 'r-2'],
      ['rotated', 'r-3'],
      ['deleted', 'r-4'],
    ];
    expect(logged).toMatchObject(
      kinds.map(([kind, request_id]) => ({
        ...who(),
        level: 30,
        msg: `webhook ${kind}`,
        subject: 'webhook',
        subject_id: id,
        kind,
        request_id,
      })),
    );
    expect(JSON.stringify(logged)).not.toMatch(/word|whsec/);
  });

  test('is logged likewise for an API key, an account, a connect session or the project', async () => {
    const { api } = app;
    const logged = await linesOf(async () => {
      const { id } = (await api.post('/v1/api-keys', { name: 'k' }, headers('k-1'))).body.data;
      await api.delete(`/v1/api-keys/${id}`, headers('k-2'));
      await api.patch('/v1/project', { name: 'p' }, headers('p-1'));
      const session = { platform: 'sandbox', external_user_id: 'u' };
      await api.post('/v1/connect/sessions', session, headers('c-1'));
      const account = { platform: 'sandbox', credentials: { handle: 'ada' } };
      await api.post('/v1/accounts/connect', account, headers('a-1'));
    });
    expect(logged.map(({ msg, request_id }) => [msg, request_id])).toEqual([
      ['api_key created', 'k-1'],
      ['api_key revoked', 'k-2'],
      ['project updated', 'p-1'],
      ['connect_session created', 'c-1'],
      ['account connected', 'a-1'],
    ]);
    expect(logged).toMatchObject(logged.map(who));
    expect(JSON.stringify(logged)).not.toMatch(/fan_live|token=/);
  });

  test('is logged for a check of an account only if the check publishes', async () => {
    const { id } = await app.tenant.connectSandbox('eve');
    const path = `/v1/accounts/${id}/checks`;
    const logged = await linesOf(async () => {
      const { data } = (await app.api.post(path, {}, headers('q-1'))).body;
      await app.context.db
        .updateTable('account_checks')
        .set({ status: 'passed' })
        .where('id', '=', data.id)
        .execute();
      await app.api.post(path, { publish: true }, headers('q-2'));
    });
    const check = { subject_id: expect.stringMatching(/^chk_/), request_id: 'q-2' };
    expect(logged).toMatchObject([{ ...who(), ...check, msg: 'account_check created' }]);
  });

  test('is logged once, however often it is repeated', async () => {
    const repeat = { headers: { 'Idempotency-Key': 'once' } };
    const logged = await linesOf(async () => {
      for (let i = 0; i < 2; i++) await app.api.post('/v1/webhooks', { url }, repeat);
    });
    expect(logged).toHaveLength(1);
  });

  test('is not logged if it is refused', async () => {
    expect(await linesOf(() => app.api.patch('/v1/webhooks/wh_1', { name: 'a' }))).toEqual([]);
  });
});

describe('a change over GraphQL', () => {
  test('is logged in the same way', async () => {
    const logged = await linesOf(() =>
      app.api.call(
        'POST',
        '/graphql',
        {
          query: `mutation { a: createWebhook(input: { url: "${url}" }) { webhook { id } }
            b: updateProject(input: { name: "p" }) { id } }`,
        },
        headers('g-1'),
      ),
    );
    expect(logged).toMatchObject([
      { ...who(), msg: 'webhook created', request_id: 'g-1' },
      { ...who(), msg: 'project updated', request_id: 'g-1' },
    ]);
  });

  test('is logged for an API key too', async () => {
    const mutation = 'mutation { createApiKey(input: { name: "k" }) { apiKey { id } } }';
    const logged = await linesOf(() => ask(app, mutation));
    expect(logged).toMatchObject([
      { ...who(), msg: 'api_key created', request_id: expect.any(String) },
    ]);
  });
});

describe('an account that its user connects on the hosted page', () => {
  test('is logged without an API key', async () => {
    const connected = completeConsent(app.api, { handle: 'bob', externalUserId: 'u' });
    const [session, account] = await linesOf(() => connected);
    expect(session).toMatchObject({ ...who(), msg: 'connect_session created' });
    expect(account).toMatchObject({ project_id: who().project_id, msg: 'account connected' });
    expect(account).not.toHaveProperty('key_id');
  });
});
