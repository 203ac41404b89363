// What Prometheus gets from a process: each metric that the documentation, the dashboard and the alerts name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { waitReasons } from '../../schema/posts/posts.ts';
import type { Api } from '../support/app/api.ts';
import { removeDataDirectory, startProgram, type Program } from '../support/app/program.ts';
import { useDatabase } from '../support/rows/database.ts';
import { createBundledDirectory } from '../support/servers/bundled-directory.ts';
import { createTestNamespace, type TestNamespace } from '../support/servers/temporal.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const database = useDatabase();
const dataDirectory = createBundledDirectory();
let namespace: TestNamespace;
let program: Program;
let api: Api;

beforeAll(async () => {
  namespace = await createTestNamespace();
  program = startProgram({
    dataDirectory,
    env: {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: namespace.address,
      TEMPORAL_NAMESPACE: namespace.namespace,
      FANFARE_VAULT_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
      FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      FANFARE_SANDBOX: 'true',
    },
  });
  api = await program.waitForReady();
}, 90_000);
afterAll(async () => {
  await program.stop();
  await namespace.close();
  await removeDataDirectory(dataDirectory);
});

const scrape = async () => (await api.get('/metrics')).text;

/** The names that samples can have. */
function namesIn(text: string): Set<string> {
  const found = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  return new Set(
    found.flatMap(([, name, type]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : name!,
    ),
  );
}

/** The metrics that an expression of PromQL names. */
const metricsOf = (expression: string) =>
  expression.match(/\b(?:fanfare|temporal|nodejs|process)_\w+\b/g) ?? [];

describe('GET /metrics', () => {
  test('counts a post, its results, the calls to the network and the delivery', async () => {
    const { body } = await api.get('/v1/accounts');
    const [ada, bob] = body.data as { id: string }[];
    const url = `${api.url}/sandbox/inbox/demo`;
    expect((await api.post('/v1/webhooks', { url })).status).toBe(201);
    const posted = await api.post('/v1/posts', {
      caption: 'hello',
      platform_posts: [
        { account_id: ada!.id },
        { account_id: bob!.id, platform_options: { outcome: 'rejected' } },
      ],
    });
    expect(posted.status).toBe(202);
    const lines = [
      'fanfare_posts_total{status="partial"} 1',
      'fanfare_results_total{platform="sandbox",status="published",error_code=""} 1',
      'fanfare_results_total{platform="sandbox",status="failed",error_code="rejected"} 1',
      'fanfare_attempt_duration_seconds_count{platform="sandbox",phase="commit",outcome="published"} 1',
      'fanfare_attempt_duration_seconds_count{platform="sandbox",phase="commit",outcome="rejected"} 1',
      'fanfare_deliveries_total{status="delivered"} 1',
      'fanfare_delivery_attempt_duration_seconds_count{outcome="delivered"} 1',
      'fanfare_database_up 1',
    ];
    const found = async () => (await scrape()).split('\n').filter((line) => lines.includes(line));
    await expect.poll(found, { timeout: 30_000 }).toHaveLength(lines.length);
  });

  test('counts the open streams', async () => {
    const stopping = new AbortController();
    const stream = await fetch(new URL('/graphql', api.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api.key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: 'subscription { postUpdated { change } }' }),
      signal: stopping.signal,
    });
    expect(stream.status).toBe(200);
    await expect.poll(scrape).toContain('fanfare_open_streams 1');
    stopping.abort();
    await expect.poll(scrape).toContain('fanfare_open_streams 0');
  });

  test('counts the open WebSockets', async () => {
    const socket = new WebSocket(
      `${api.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    await expect.poll(scrape).toContain('fanfare_open_websockets 1');
    socket.close();
    await expect.poll(scrape).toContain('fanfare_open_websockets 0');
  });
});

describe('docs/operating.md', () => {
  test('lists every metric of Fanfare, and no other', async () => {
    const rows = [...read('docs/operating.md').matchAll(/^\| `(fanfare_\w+)(?:\{[^`]*\})?` +\|/gm)];
    const listed = rows.map(([, name]) => name!).toSorted();
    const own = [...(await scrape()).matchAll(/^# TYPE (fanfare_\w+) /gm)].map(([, name]) => name!);
    expect(listed).toEqual(own.toSorted());
  });
});

describe('monitoring/', () => {
  test('the alert rules have an expression of known metrics, a severity and a summary', async () => {
    const { groups } = parse(read('monitoring/alerts.yml')) as { groups: { rules: Rule[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    const known = namesIn(await scrape());
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, labels, annotations } of rules) {
      expect(alert).toMatch(/^Fanfare[A-Z]\w+$/);
      expect(labels.severity).toMatch(/^(critical|warning|info)$/);
      expect(annotations.summary).toMatch(/\.$/);
      expectKnown(expr, known);
      for (const [, reason] of expr.matchAll(/reason="(\w+)"/g)) {
        expect(waitReasons).toHaveProperty(reason!);
      }
    }
  });

  test('the panels of the dashboard show known metrics', async () => {
    const { panels } = JSON.parse(read('monitoring/dashboard.json')) as { panels: Panel[] };
    const known = namesIn(await scrape());
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(10);
    for (const expression of expressions) expectKnown(expression, known);
  });
});

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

interface Panel {
  targets?: { expr: string }[];
}

function expectKnown(expression: string, known: Set<string>): void {
  const named = metricsOf(expression);
  expect(named, expression).not.toEqual([]);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
}
