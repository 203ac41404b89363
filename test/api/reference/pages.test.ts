// The routes without API key: metrics, the OpenAPI document, the API reference.
import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { ProcessContext } from '../../../api/server/health.ts';
import { createProbeServer } from '../../../api/server/probe-server.ts';
import viewerRelease from '../../../api/reference/viewer/release.json' with { type: 'json' };
import { routes } from '../../../api/resources/routes.ts';
import { deletePause, insertPause } from '../../../schema/database/pauses.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { errorKinds } from '../../../schema/wire/errors.ts';
import { createTestRest, type TestAnswer, useRest } from '../../support/app/rest.ts';

const rest = useRest();

describe('GET /metrics', () => {
  test('counts requests by route and the rows of the outbox', async () => {
    const { key } = await rest.createTenant();
    const request = 'method="GET",route="/v1/webhooks/:id",status="404"';
    const counted = `fanfare_http_request_seconds_count{${request}} `;
    // What the process has counted for other tests stays.
    const countIn = ({ body }: Pick<TestAnswer, 'body'>) =>
      Number.parseInt(body.split(counted)[1] ?? '0', 10);
    const before = await rest.call('GET', '/metrics');
    await rest.call('GET', '/v1/webhooks/wh_1', { key });
    const { body, headers } = await rest.call('GET', '/metrics');
    expect(headers.get('Content-Type')).toContain('text/plain');
    expect(body).toContain(counted);
    expect(countIn({ body })).toBe(countIn(before) + 1);
    expect(body).toContain('fanfare_outbox_rows 0');
    expect(body).toContain('nodejs_eventloop_lag_seconds');
  });

  test('shows each pause while it lasts', async () => {
    const { db } = rest.context;
    const line = 'fanfare_sending_paused{scope="sandbox"} 1';
    await insertPause(db, 'sandbox');
    expect((await rest.call('GET', '/metrics')).body).toContain(line);
    await deletePause(db, 'sandbox');
    expect((await rest.call('GET', '/metrics')).body).not.toContain('{scope=');
  });
});

describe('GET /metrics with a token', () => {
  const FANFARE_METRICS_TOKEN = 'a-token-of-20-characters';
  const FANFARE_PUBLIC_URL = 'https://fanfare.test';

  test.each([
    [{ FANFARE_METRICS_TOKEN }, {}, 401],
    [{ FANFARE_METRICS_TOKEN }, { Authorization: 'Bearer another' }, 401],
    [{ FANFARE_METRICS_TOKEN }, { Authorization: `Bearer ${FANFARE_METRICS_TOKEN}` }, 200],
    [{ FANFARE_HOST: '0.0.0.0', FANFARE_PUBLIC_URL }, {}, 403],
  ])('with %j, a request with %j gets %i from api and worker', async (env, headers, status) => {
    await using own = await createTestRest(env);
    expect(await own.call('GET', '/metrics', { headers })).toMatchObject({ status });
    const worker = createProbeServer(own.context as ProcessContext);
    const port = await worker.listen(0, '127.0.0.1');
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
    await worker.close();
    expect(answer.status).toBe(status);
  });
});

describe('GET /metrics without Postgres', () => {
  test('has the metrics of the process, and says that Postgres is unavailable', async () => {
    const url = 'postgres://127.0.0.1:1/nowhere';
    const lost = connectDatabase({ url, maxConnections: 1, applicationName: 'test' });
    await using other = await createTestRest({}, { db: lost.db });
    const { status, body } = await other.call('GET', '/metrics');
    await lost.close();
    expect(status).toBe(200);
    expect(body).toContain('fanfare_database_up 0');
    expect(body).toContain('nodejs_eventloop_lag_seconds');
    expect(body).not.toContain('fanfare_outbox_rows');
  });
});

describe('GET /v1/openapi.json', () => {
  test('is generated once, and has an ETag', async () => {
    await rest.call('GET', '/v1/openapi.json');
    const parse = vi.spyOn(JSON, 'stringify');
    const { headers } = await rest.call('GET', '/v1/openapi.json');
    const large = parse.mock.results.filter(({ value }) => String(value).length > 100_000);
    parse.mockRestore();
    expect(large).toEqual([]);
    const unchanged = { 'If-None-Match': headers.get('ETag')! };
    const { status } = await rest.call('GET', '/v1/openapi.json', { headers: unchanged });
    expect(status).toBe(304);
  });

  test('describes every route once', async () => {
    const { body } = await rest.call('GET', '/v1/openapi.json');
    const described = Object.entries(body.paths as Record<string, object>).flatMap(
      ([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const declared = routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    // Uploads are served beside the routes.
    expect(described.toSorted()).toEqual([...declared, 'put /uploads/{id}'].toSorted());
  });

  test('names the address of this server', async () => {
    const { body } = await rest.call('GET', '/v1/openapi.json');
    expect(body.servers).toEqual([
      { url: rest.context.publicUrl, description: 'This installation.' },
    ]);
  });

  test.each(routes.filter(({ body }) => body))(
    'has a valid example for the body of $name',
    async ({ method, path, body }) => {
      const { paths } = (await rest.call('GET', '/v1/openapi.json')).body;
      const { requestBody } = paths[path.replaceAll(/:(\w+)/g, '{$1}')][method];
      const { example } = requestBody.content['application/json'];
      expect(example, 'add it to scripts/request-examples.ts').toBeDefined();
      expect(body!.safeParse(example).error).toBeUndefined();
    },
  );
});

describe('GET /docs', () => {
  test('has an entry for every error code', async () => {
    const { body, headers } = await rest.call('GET', '/docs');
    expect(headers.get('Content-Type')).toContain('text/html');
    for (const code of Object.keys(errorKinds)) expect(body).toContain(`id="error-${code}"`);
    expect(body).not.toContain('`');
    const targets = [...body.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    for (const target of new Set(targets)) expect(body).toContain(`id="${target}"`);
  });

  test('loads its script from this server, and allows no inline script', async () => {
    const { body, headers } = await rest.call('GET', '/docs');
    const policy = headers.get('Content-Security-Policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; connect-src 'self'");
    expect(body).not.toMatch(/https?:\/\//);
    const [, address] = /<script src="([^"]+)">/.exec(body)!;
    const script = await rest.call('GET', address!);
    expect(script.status).toBe(200);
    expect(script.headers.get('Content-Type')).toContain('text/javascript');
    expect(script.headers.get('Cache-Control')).toContain('immutable');
    expect(script.body.length).toBeGreaterThan(1_000_000);
    const etag = script.headers.get('ETag')!;
    // The script is compressed for clients that accept it.
    expect(etag).toMatch(/^W\/"/);
    const again = await rest.call('GET', address!, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
  });

  test('serves the viewer as its package has it', async () => {
    const { body } = await rest.call('GET', '/docs/viewer.js');
    expect(createHash('sha256').update(body).digest('hex')).toBe(viewerRelease.sha256);
  });
});
