// The probes of `api` and `worker`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { createApi, type Api } from '../../support/app/api.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { statementsOf } from '../../support/rows/statements.ts';
import { skipAhead } from '../../support/skip-ahead.ts';

/** An address without a server. */
const nowhere = '127.0.0.1:1';
let worker: TestApp;
let api: TestApp;

beforeAll(async () => {
  [worker, api] = await Promise.all([
    startApp({ roles: { api: false, worker: true } }),
    startApp({ roles: { api: true, worker: false }, temporalAddress: nowhere }),
  ]);
});
afterAll(() => Promise.all([worker.stop(), api.stop()]));

const probesOf = ({ probesUrl }: TestApp): Api => createApi(probesUrl, '');

describe('the worker', () => {
  test('answers only probes and metrics, on its own port', async () => {
    const { get } = probesOf(worker);
    expect(await get('/livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    const metrics = (await get('/metrics')).text;
    expect(metrics).toContain('fanfare_outbox_rows 0');
    expect(metrics).toContain(
      `fanfare_build_info{version="${packageJson.version}",role="worker"} 1`,
    );
    expect(await fetch(new URL('/v1/posts', worker.probesUrl))).toMatchObject({ status: 404 });
    expect(await get('/healthz')).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        role: 'worker',
        version: packageJson.version,
        parts: {
          database: { ok: true },
          writable: { ok: true },
          migrations: { ok: true },
          temporal: { ok: true },
          worker: { ok: true },
        },
      },
    });
  });

  test('queries Postgres once for many reports at the same time', async () => {
    const { get } = probesOf(worker);
    // Nothing is known from earlier reports.
    skipAhead(1_000);
    const statements = await statementsOf(() =>
      Promise.all(Array.from({ length: 20 }, () => get('/healthz'))),
    );
    const perReport = statements.filter((statement) => statement.includes('kysely_migration'));
    expect(perReport.length).toBeGreaterThan(0);
    expect(perReport.length).toBeLessThan(20);
  });

  test('reports the longest delay of its event loop since the last report', async () => {
    const { get } = probesOf(worker);
    const longestAfterBlock = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
      return (await get('/healthz')).body.event_loop_delay_ms.max;
    };
    // A block right after a report is measured from the next turn only.
    await expect.poll(longestAfterBlock).toBeGreaterThan(250);
  });
});

describe('the API while Temporal is unavailable', () => {
  test('is alive and ready, and reports Temporal in its details', async () => {
    const { get } = probesOf(api);
    expect(await get('/livez')).toMatchObject({ status: 200, body: { failing: [] } });
    expect(await get('/readyz')).toMatchObject({ status: 200, body: { missing: [] } });
    expect(await get('/healthz')).toMatchObject({
      status: 503,
      body: {
        status: 'degraded',
        role: 'api',
        parts: {
          database: { ok: true },
          temporal: { ok: false, error: expect.any(String) },
          worker: { ok: false, error: expect.any(String) },
        },
      },
    });
  });
});

describe('findMissing', () => {
  test('reports that the process is stopping', async () => {
    const app = await startApp({ roles: { api: true, worker: false } });
    const stopped = app.stop();
    expect(await app.context.health.findMissing()).toEqual(['stopping']);
    await stopped;
  });
});
