// Log lines for refused keys and requests.
import { expect, test, vi } from 'vitest';
import { logRefusal } from '../../../api/http/log-refusals.ts';
import { AppError } from '../../../schema/wire/errors.ts';
import { createApi } from '../../support/app/api.ts';
import { startApp } from '../../support/app/app.ts';
import { createTestLog } from '../../support/log.ts';
import { closeOf, openSocket, send } from '../../support/receivers/raw-socket.ts';

test('refused keys and requests have a line for each code, without the key', async () => {
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

test('a line after ten seconds counts the refusals since the last one', () => {
  const { log, lines } = createTestLog('info');
  const now = vi.spyOn(performance, 'now');
  const refusedAt = (ms: number) => {
    now.mockReturnValue(ms);
    logRefusal(log, new AppError('unauthorized', 'The API key is invalid.'), undefined);
  };
  [0, 1, 9_999, 10_000, 10_001, 30_000].forEach(refusedAt);
  expect(lines.map(({ refused }) => refused)).toEqual([1, 3, 2]);
});
