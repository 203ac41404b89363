// Log lines about refused and failed requests.
import { afterEach, expect, test, vi } from 'vitest';
import { toAppError } from '../../../api/http/errors.ts';
import { logRefusal } from '../../../api/http/limited-lines.ts';
import { AppError } from '../../../schema/wire/errors.ts';
import { createApi } from '../../support/app/api.ts';
import { startApp } from '../../support/app/app.ts';
import { createTestRest } from '../../support/app/rest.ts';
import { createTestLog } from '../../support/log.ts';
import { closeOf, openSocket, send } from '../../support/receivers/raw-socket.ts';

afterEach(() => void vi.restoreAllMocks());

test('refused keys and requests get a log line for each error code, without the key', async () => {
  const { log, lines } = createTestLog('info');
  await using app = await startApp({ log, roles: { api: true, worker: false } });
  const secret = 'fan_notakeyofanyproject';
  for (let i = 0; i < 3; i++) {
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${app.url}/v1/posts`, { headers })).status).toBe(401);
  }
  const socket = await openSocket(app.url);
  send(socket, { type: 'connection_init', payload: { apiKey: secret } });
  expect((await closeOf(socket)).code).toBe(4401);
  const { body } = await app.api.post('/v1/api-keys', { name: 'reader', scopes: ['posts:read'] });
  const reader = createApi(app.url, body.data.key);
  expect((await reader.post('/v1/posts', { caption: 'x', account_ids: [] })).status).toBe(403);
  expect((await reader.graphql('{ webhooks { nodes { id } } }')).body.errors).toHaveLength(1);
  const refusals = lines.filter(({ msg }) => msg === 'requests are refused');
  expect(refusals).toMatchObject([
    { level: 30, component: 'http', status: 401, code: 'unauthorized', refused: 1 },
    { level: 30, component: 'http', status: 403, code: 'insufficient_scope', refused: 1 },
  ]);
  expect(JSON.stringify(lines)).not.toContain(secret);
  expect(JSON.stringify(lines)).not.toContain(body.data.key);
});

test('a log line after ten seconds counts the refusals since the previous line', () => {
  const { log, lines } = createTestLog('info');
  const now = vi.spyOn(performance, 'now');
  const refusedAt = (ms: number) => {
    now.mockReturnValue(ms);
    logRefusal(log, new AppError('unauthorized', 'The API key is invalid.'), undefined);
  };
  [0, 1, 9_999, 10_000, 10_001, 30_000].forEach(refusedAt);
  expect(lines.map(({ refused }) => refused)).toEqual([1, 3, 2]);
});

test('requests without a connection to Postgres get at most one log line in a second', () => {
  const { log, lines } = createTestLog();
  const now = vi.spyOn(performance, 'now');
  const failAt = (ms: number) => {
    now.mockReturnValue(ms);
    const error = new Error('timeout exceeded when trying to connect');
    expect(toAppError({ log }, error, `req_${ms}`).code).toBe('unavailable');
  };
  [0, 1, 999, 1_000, 1_001].forEach(failAt);
  expect(lines).toMatchObject([
    { level: 40, msg: 'a backend is unavailable', failed: 1, request_id: 'req_0' },
    { level: 40, msg: 'a backend is unavailable', failed: 3, request_id: 'req_1000' },
  ]);
  expect(lines[0]).toHaveProperty('err.stack');
});

test('refused scrapes of the metrics get at most one log line in ten seconds', async () => {
  const { log, lines } = createTestLog('info');
  await using rest = await createTestRest({ FANFARE_METRICS_TOKEN: 'x'.repeat(32) }, { log });
  for (let i = 0; i < 3; i++) expect((await rest.call('GET', '/metrics')).status).toBe(401);
  expect(lines).toMatchObject([
    { level: 30, component: 'http', msg: 'scrapes are refused', status: 401, refused: 1 },
  ]);
});
