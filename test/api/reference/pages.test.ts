// The pages that need no key: metrics, the API document.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../api/http/routes.ts';
import { deletePause, insertPause } from '../../../schema/database/dispatch/pauses.ts';
import { errorKinds } from '../../../schema/wire/errors.ts';
import { createTestRest, type TestAnswer, type TestRest } from '../../support/app/rest.ts';

let rest: TestRest;

beforeAll(async () => {
  rest = await createTestRest();
});
afterAll(() => rest[Symbol.asyncDispose]());

describe('GET /metrics', () => {
  test('counts requests by route and what waits for Temporal', async () => {
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

  test('shows what the operator has paused, for as long as it is', async () => {
    const { db } = rest.context;
    const line = 'fanfare_sending_paused{scope="sandbox"} 1';
    await insertPause(db, 'sandbox');
    expect((await rest.call('GET', '/metrics')).body).toContain(line);
    await deletePause(db, 'sandbox');
    expect((await rest.call('GET', '/metrics')).body).not.toContain('{scope=');
  });
});

describe('GET /v1/openapi.json', () => {
  test('describes every route once', async () => {
    const { body } = await rest.call('GET', '/v1/openapi.json');
    const described = Object.entries(body.paths as Record<string, object>).flatMap(
      ([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const declared = routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    expect(described.toSorted()).toEqual(declared.toSorted());
  });
});

describe('GET /docs', () => {
  test('shows every path and error code, and asks for nothing from elsewhere', async () => {
    const { body, headers } = await rest.call('GET', '/docs');
    expect(headers.get('Content-Type')).toContain('text/html');
    for (const { method, path } of routes) {
      expect(body).toContain(`${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    }
    for (const code of Object.keys(errorKinds)) expect(body).toContain(`id="error-${code}"`);
    expect(body).toContain('A <code>test</code> key reaches only sandbox accounts.');
    expect(body).not.toContain('`');
    expect(body).toContain('td:last-child, h1, h3, p, label { overflow-wrap: anywhere }');
    expect(body).not.toMatch(/<script|src=|@import|https?:\/\//);
    const targets = [...body.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    for (const target of new Set(targets)) expect(body).toContain(`id="${target}"`);
  });
});
