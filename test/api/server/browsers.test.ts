// What other origins may call, and what is compressed, over HTTP.
import { gunzipSync } from 'node:zlib';
import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';

const origin = 'https://app.example.com';
const app = useApp({
  env: {
    FANFARE_CORS_ORIGINS: `${origin},http://localhost:3000`,
    FANFARE_RATE_LIMIT_PER_MINUTE: '600',
  },
});
const closed = useApp();

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** As sent: `fetch` would remove the encoding. */
function ask(url: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, (response) => {
      const { statusCode: status = 0, headers } = response;
      buffer(response).then((bytes) => resolve({ status, headers, bytes }), reject);
    })
      .on('error', reject)
      .end();
  });
}

const key = () => ({ authorization: `Bearer ${app.tenant.key}` });

describe('a browser', () => {
  test.each([origin, 'http://localhost:3000'])('may call the API from %s', async (own) => {
    const preflight = await ask(
      `${app.url}/v1/posts`,
      {
        origin: own,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
      'OPTIONS',
    );
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': own,
        'access-control-allow-methods': expect.stringContaining('POST') as string,
        'access-control-allow-headers': 'authorization,content-type,idempotency-key',
      },
    });
    for (const path of ['/v1/posts', '/v1/nothing', '/graphql']) {
      const answer = await ask(`${app.url}${path}`, { origin: own, ...key() });
      const { 'access-control-expose-headers': exposed, ...headers } = answer.headers;
      expect(headers['access-control-allow-origin']).toBe(own);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers.vary).toContain('Origin');
      expect(exposed!.split(',')).toEqual(
        expect.arrayContaining([
          'Idempotency-Replayed',
          'Location',
          'RateLimit-Remaining',
          'Retry-After',
          'X-Request-Id',
        ]),
      );
    }
  });

  test.each([
    ['/v1/posts', origin, 'Access-Control-Request-Headers, Origin'],
    ['/v1/posts', 'https://other.example.com', 'Access-Control-Request-Headers, Origin'],
    ['/graphql', origin, 'Access-Control-Request-Headers, Origin'],
    ['/v1/openapi.json', origin, 'Access-Control-Request-Headers'],
  ])('gets a preflight of %s at %s that varies by %s', async (path, own, vary) => {
    const preflight = await ask(`${app.url}${path}`, { origin: own }, 'OPTIONS');
    expect(preflight).toMatchObject({ status: 204, headers: { vary } });
  });

  test('may read the answer to a call without a key', async () => {
    const answer = await ask(`${app.url}/v1/posts`, { origin });
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'access-control-allow-origin': origin },
    });
  });

  test.each(['https://other.example.com', 'null', `${origin}.example.net`])(
    'may not call the API from %s',
    async (other) => {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await ask(`${app.url}/v1/posts`, { origin: other, ...key() }, method);
        expect(headers['access-control-allow-origin']).toBeUndefined();
      }
    },
  );

  test.each(['/connect/cs_1', '/share/rev_1', '/sandbox', '/', '/docs', '/metrics'])(
    'may not read %s',
    async (path) => {
      const { headers } = await ask(`${app.url}${path}`, { origin });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  test('may read nothing unless an origin is configured, except for the OpenAPI document', async () => {
    for (const path of ['/v1/posts', '/graphql']) {
      const { headers } = await ask(`${closed.url}${path}`, { origin });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
    const document = await ask(`${closed.url}/v1/openapi.json`, { origin });
    expect(document).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
    });
  });
});

describe('an answer', () => {
  const gzip = { 'accept-encoding': 'gzip' };

  test.each(['/v1/openapi.json', '/docs'])('is compressed at %s', async (path) => {
    const plain = await ask(`${app.url}${path}`, {});
    const packed = await ask(`${app.url}${path}`, gzip);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip' });
    expect(packed.headers.vary).toContain('Accept-Encoding');
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
  });

  test('is compressed in GraphQL', async () => {
    const query = new URLSearchParams({ query: '{ __schema { types { name description } } }' });
    const answer = await ask(`${app.url}/graphql?${query.toString()}`, { ...gzip, ...key() });
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip' });
    expect(JSON.parse(gunzipSync(answer.bytes).toString())).toHaveProperty('data.__schema');
  });

  test.each([
    ['deflate, gzip, br', 'br'],
    ['gzip, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['deflate;q=0.5, identity;q=0.1', 'deflate'],
    ['gzip;q=0.5, identity', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['zstd', undefined],
  ])('is encoded for a client that accepts %s as %s', async (accepted, encoding) => {
    const url = `${app.url}/v1/openapi.json`;
    const { headers, bytes } = await ask(url, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-length']).toBe(String(bytes.length));
  });

  test('varies by everything that it depends on', async () => {
    const page = await ask(`${app.url}/graphql`, { ...gzip, origin, accept: 'text/html' });
    expect(page.headers.vary!.split(', ').toSorted()).toEqual([
      'Accept',
      'Accept-Encoding',
      'Origin',
    ]);
  });

  test.each(['/v1/openapi.json', '/v1/project'])(
    'varies by the same headers for HEAD and GET of %s',
    async (path) => {
      const askBy = (method: string) => ask(`${app.url}${path}`, { ...gzip, ...key() }, method);
      const [head, get] = [await askBy('HEAD'), await askBy('GET')];
      expect(head.headers.vary).toContain('Accept-Encoding');
      expect(head.headers.vary).toBe(get.headers.vary);
    },
  );

  test.each(['/connect/cs_1', '/share/rev_1'])('is never compressed on %s', async (path) => {
    const { headers, bytes } = await ask(`${app.url}${path}`, gzip);
    expect(headers).toMatchObject({ 'content-length': String(bytes.length) });
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toBe('Accept-Language');
  });

  test('is not compressed if it is small', async () => {
    const { headers } = await ask(`${app.url}/v1/project`, { ...gzip, ...key() });
    expect(headers['content-encoding']).toBeUndefined();
  });

  test.each(['{ limits { requestsPerMinute } }', '{ nothing }'])(
    'has the rate limit in GraphQL for %s',
    async (query) => {
      const url = `${app.url}/graphql?${new URLSearchParams({ query }).toString()}`;
      const fresh = await app.createTenant();
      const { headers } = await ask(url, { authorization: `Bearer ${fresh.key}` });
      expect(headers).toMatchObject({
        'ratelimit-limit': '600',
        'ratelimit-remaining': '599',
      });
    },
  );

  test('keeps its connection open for 75 s', async () => {
    const { headers } = await ask(`${app.url}/v1/project`, { ...key(), connection: 'keep-alive' });
    expect(headers['keep-alive']).toBe('timeout=75');
  });
});
