// The checks of every request, in their order, and the envelope of each refusal.
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { createTestRest, useRest } from '../../support/app/rest.ts';

const maxBodyBytes = 2048;
let key: string;

const rest = useRest({ FANFARE_MAX_BODY_BYTES: String(maxBodyBytes) });
beforeAll(async () => {
  ({ key } = await rest.createTenant());
});

function streamOf(...chunks: string[]): ReadableStream {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

describe('an answer', () => {
  test('has the data and a new request ID', async () => {
    const { status, body, headers } = await rest.call('GET', '/v1/project', { key });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: expect.objectContaining({ name: 'Test' }),
      request_id: expect.stringMatching(/^req_[0-9a-z]{26}$/),
    });
    expect(headers.get('X-Request-Id')).toBe(body.request_id);
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  test('echoes a valid request ID and replaces any other', async () => {
    const headers = { 'X-Request-Id': 'order-17:a.b' };
    const answer = await rest.call('GET', '/v1/project', { key, headers });
    expect(answer.body.request_id).toBe('order-17:a.b');
    const odd = { 'X-Request-Id': '"><script>' };
    const other = await rest.call('GET', '/v1/nothing', { headers: odd });
    expect(other.body.request_id).toMatch(/^req_/);
  });

  test('is that of GET without the body if the method is HEAD', async () => {
    const answer = await rest.call('HEAD', '/v1/project', { key });
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('');
  });
});

describe('an unknown path', () => {
  test('is 404 without a key', async () => {
    const { status, body } = await rest.call('POST', '/v1/nothing', { raw: '{' });
    expect(status).toBe(404);
    expect(body).toEqual({
      error: {
        code: 'not_found',
        message: 'There is nothing at /v1/nothing.',
        hint: expect.any(String),
        is_retriable: false,
        docs_url: 'http://fanfare.test/docs#error-not_found',
      },
      request_id: expect.any(String),
    });
  });

  test.each(['/v1/webhooks/', '/v1/webhooks/a/b/c', '/V1/project', '/v1'])('%s', async (path) => {
    expect((await rest.call('GET', path, { key })).status).toBe(404);
  });
});

describe('a wrong method', () => {
  test('is 405 without a key, and the answer names the allowed methods', async () => {
    const { status, body, headers } = await rest.call('PUT', '/v1/webhooks/wh_1');
    expect(status).toBe(405);
    expect(body.error.code).toBe('method_not_allowed');
    expect(headers.get('Allow')).toBe('GET, HEAD, PATCH, DELETE');
  });

  test.each([
    ['GET', '/v1/posts/bulk'],
    ['DELETE', '/v1/posts/validate'],
    ['GET', '/v1/accounts/connect'],
    ['DELETE', '/v1/accounts/import'],
    ['PATCH', '/v1/connect/sessions'],
  ])('is 405 on a path that looks like that of one resource: %s %s', async (method, path) => {
    const { status, headers } = await rest.call(method, path, { key });
    expect([status, headers.get('Allow')]).toEqual([405, 'POST']);
  });

  test('is 405 on the pages too', async () => {
    const { status, headers } = await rest.call('DELETE', '/v1/openapi.json');
    expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a key', () => {
  test.each([
    ['missing', {}],
    ['of another scheme', { Authorization: 'Basic Zm9v' }],
    ['empty', { Authorization: 'Bearer ' }],
    ['unknown', { Authorization: 'Bearer fan_live_0000000000000000000000000000000000000000000' }],
    ['doubled', { Authorization: 'Bearer a b' }],
  ])('%s is 401, before the body is read', async (_, headers) => {
    const answer = await rest.call('POST', '/v1/webhooks', { headers, raw: '{' });
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="fanfare"');
  });

  test('is accepted if its scheme is in any letter case', async () => {
    const headers = { Authorization: `bearer  ${key}` };
    expect((await rest.call('GET', '/v1/project', { headers })).status).toBe(200);
  });

  test('gets 403 if it lacks the scope, after the JSON is read and before its content is checked', async () => {
    const reader = await rest.createTenant({ scopes: ['webhooks:read'] });
    const broken = await rest.call('POST', '/v1/webhooks', { key: reader.key, raw: '{' });
    expect(broken.status).toBe(400);
    const answer = await rest.call('POST', '/v1/webhooks', { key: reader.key, body: { x: 1 } });
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope', required_scope: 'webhooks:write' } },
    });
  });
});

describe('a body', () => {
  const large = JSON.stringify({ url: 'x'.repeat(maxBodyBytes) });

  test('is 413 if it is over the limit', async () => {
    const answer = await rest.call('POST', '/v1/webhooks', { key, raw: large });
    expect(answer).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large', limit: maxBodyBytes } },
    });
  });

  test('is 413 over the limit even without Content-Length, and with any type', async () => {
    const raw = streamOf(large.slice(0, 2000), large.slice(2000), 'x'.repeat(100_000));
    const headers = { 'Content-Type': 'text/plain' };
    expect((await rest.call('POST', '/v1/webhooks', { key, raw, headers })).status).toBe(413);
  });

  test('is counted as it arrives if its Content-Length is too small', async () => {
    const headers = { 'Content-Length': '2' };
    const answer = await rest.call('POST', '/v1/webhooks', { key, raw: streamOf(large), headers });
    expect(answer.status).toBe(413);
  });

  test('is read whole if it arrives in pieces', async () => {
    const raw = streamOf('{"na', 'me":"', 'Zoë', '"}');
    const answer = await rest.call('PATCH', '/v1/project', { key, raw });
    expect(answer.body.data.name).toBe('Zoë');
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['application/jsonp', {}],
    ['application/json', { 'Content-Encoding': 'gzip' }],
  ])('is 415 if its type is %s %o', async (type, more) => {
    const headers = { 'Content-Type': type, ...more };
    const answer = await rest.call('POST', '/v1/webhooks', { key, raw: '{', headers });
    expect(answer.body.error.code).toBe('unsupported_media_type');
    expect(answer.status).toBe(415);
  });

  test.each(['application/json;charset=UTF-8', 'Application/JSON'])(
    'is read if its type is %s',
    async (type) => {
      const answer = await rest.call('PATCH', '/v1/project', {
        key,
        body: { name: 'A' },
        headers: { 'Content-Type': type },
      });
      expect(answer.status).toBe(200);
    },
  );

  test.each([
    ['{"url":}', 7, 1, 8],
    ['{"a": 1,\n  "b": tru}', 19, 2, 11],
    ['[1 2]', 3, 1, 4],
    ['{"a"', 4, 1, 5],
    ['undefined', 0, 1, 1],
    ['{"a":1}}', 7, 1, 8],
    ["{'a':1}", 1, 1, 2],
    [`{"a":"${'x'.repeat(500)}",\n"b":nope}`, 514, 2, 6],
    ['\u0000', 0, 1, 1],
  ])('is 400 with the position if it is not JSON: %j', async (raw, position, line, column) => {
    const answer = await rest.call('POST', '/v1/webhooks', { key, raw });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'malformed_json', position, line, column });
  });

  test('is 400 if it is not UTF-8', async () => {
    const raw = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const answer = await rest.call('POST', '/v1/webhooks', { key, raw });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'malformed_json' } } });
  });

  test('counts as an object without fields if it is empty', async () => {
    const types = [{}, { 'Content-Type': 'application/json' }, { 'Content-Type': 'text/plain' }];
    for (const headers of types) {
      const answer = await rest.call('POST', '/v1/webhooks', { key, headers });
      expect(answer.status).toBe(422);
      expect(answer.body.error.issues).toEqual([
        { path: 'url', code: 'required', message: 'is required' },
      ]);
    }
  });

  test('must change a field if the method is PATCH', async () => {
    const answer = await rest.call('PATCH', '/v1/project', { key, body: {} });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path: 'body', code: 'nothing_to_change' }]);
  });

  test('must have no fields if the method is DELETE', async () => {
    const answer = await rest.call('DELETE', '/v1/webhooks/wh_1', { key, body: { force: true } });
    expect(answer.body.error.issues).toMatchObject([{ path: 'force', code: 'unknown_field' }]);
  });
});

describe('a failure', () => {
  test('is masked, and logged with the request ID, if Fanfare throws it', async () => {
    const logged: unknown[] = [];
    const write = (line: string) => void logged.push(JSON.parse(line));
    const log = pino({ level: 'error' }, { write });
    const guard = { check: () => Promise.reject(new Error('secret detail')) };
    await using broken = await createTestRest({}, { log, guard } as never);
    const tenant = await broken.createTenant();
    const body = { url: 'https://example.com' };
    const answer = await broken.call('POST', '/v1/webhooks', { key: tenant.key, body });
    expect(answer.status).toBe(500);
    expect(answer.body.error).toMatchObject({ code: 'internal', is_retriable: true });
    expect(JSON.stringify(answer.body)).not.toContain('secret detail');
    expect(logged).toMatchObject([
      { request_id: answer.body.request_id, err: { message: 'secret detail' } },
    ]);
  });

  test('is 503 with Retry-After if Postgres is unavailable', async () => {
    const nowhere = connectDatabase({
      url: 'postgres://nobody@127.0.0.1:1/none',
      maxConnections: 2,
      applicationName: 'test',
    });
    await using away = await createTestRest({}, { db: nowhere.db });
    const answer = await away.call('GET', '/v1/project', { key });
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(answer.headers.get('Retry-After')).toBe('2');
    await nowhere.close();
  });
});
