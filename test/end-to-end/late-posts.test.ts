// Four posts are late for four reasons: the log, the metrics, the alert and `stuck` name each reason.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { pause } from '../../api/cli/pause.ts';
import { showStuck } from '../../api/cli/stuck.ts';
import { startApp } from '../support/app/app.ts';
import type { Tenant } from '../support/app/seed.ts';
import { startHttp } from '../support/receivers/loopback.ts';
import { createTestLog } from '../support/log.ts';

const alerts = readFileSync(join(import.meta.dirname, '../../monitoring/alerts.yml'), 'utf8');

/** Value of each reason, by its series for the sandbox. */
function readSeries(page: string, metric: string): Record<string, number> {
  const series = page.matchAll(
    new RegExp(`^${metric}{platform="sandbox",reason="(\\w+)"} (\\S+)$`, 'gm'),
  );
  return Object.fromEntries([...series].map(([, reason, value]) => [reason!, Number(value)]));
}

test('the log, the metrics, the alert and `stuck` name why each of four posts is late', async () => {
  const { log, lines } = createTestLog('info');
  await using app = await startApp({
    log,
    env: {
      FANFARE_UNAVAILABLE_DELAYS_MS: '600000,600000',
    },
  });
  const { db } = app.context;
  const create = async (tenant: Tenant, platform_options: object, post: object = {}) => {
    const { id: account_id } = await tenant.connectSandbox('ada');
    return tenant.createPost({
      caption: 'a secret text',
      platform_posts: [{ account_id, platform_options }],
      ...post,
    });
  };
  const paused = await app.createTenant();
  await pause(db, paused.projectId);
  const limited = await app.createTenant();
  const broken = await startHttp((_request, response) => response.writeHead(503).end());
  const posts = {
    network: await create(app.tenant, { outcome: 'unavailable', times: 1 }),
    rate_limit: await create(limited, {
      outcome: 'rate_limited',
      times: 1,
      without_retry_after: true,
    }),
    pause: await create(paused, {}),
    media: await create(app.tenant, {}, { media_urls: [broken.url] }),
  };

  const waits = () => lines.filter(({ msg }) => msg === 'a target waits');
  await expect.poll(() => waits().length, { timeout: 20_000 }).toBe(4);
  for (const [waiting_for, post] of Object.entries(posts)) {
    const [line] = waits().filter(({ post_id }) => post_id === post.id);
    const result_id = post.results[0]!.id;
    const known = { level: 30, component: 'publishing', result_id, platform: 'sandbox' };
    expect(line).toMatchObject({ ...known, waiting_for });
  }
  expect(waits().find(({ waiting_for }) => waiting_for === 'network')).toMatchObject({
    outcome: 'unavailable',
    next_attempt_in_ms: 600_000,
  });
  const mediaId = posts.media.media[0]!.id!;
  const fetchError = 'The server answered 503.';
  expect(waits().find(({ waiting_for }) => waiting_for === 'media')).toMatchObject({
    error: `${mediaId}: ${fetchError}`,
  });
  expect((await app.api.get(`/v1/media/${mediaId}`)).body.data).toMatchObject({
    status: 'pending',
    error_code: null,
    error_message: fetchError,
  });
  expect(JSON.stringify(lines)).not.toContain('a secret text');

  const twentyMinutesAgo = new Date(Date.now() - 20 * 60_000);
  await db.updateTable('posts').set({ run_due_at: twentyMinutesAgo }).execute();
  const page = (await app.api.get('/metrics')).text;
  expect(readSeries(page, 'fanfare_targets_waiting')).toEqual({
    network: 1,
    rate_limit: 1,
    pause: 1,
    media: 1,
  });
  for (const outcome of ['unavailable', 'rate_limited']) {
    expect(page).toMatch(
      new RegExp(`^fanfare_attempt_duration_seconds_count{.*outcome="${outcome}"} [1-9]\\d*$`, 'm'),
    );
  }

  const { groups } = parse(alerts) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
  };
  const rule = groups
    .flatMap(({ rules }) => rules)
    .find(({ alert }) => alert === 'FanfarePostsLate');
  const [, metric, threshold] = /^max by \(platform, reason\) \((\w+)\) > (\d+)$/.exec(rule!.expr)!;
  expect(rule!.annotations.summary).toContain('{{ $labels.reason }}');
  const firing = Object.entries(readSeries(page, metric!)).filter(
    ([, value]) => value > Number(threshold),
  );
  expect(firing.map(([reason]) => reason).toSorted()).toEqual(Object.keys(posts).toSorted());

  const stuck = (await showStuck(db, 15)).text.split('\n');
  for (const [reason, post] of Object.entries(posts)) {
    const found = stuck.findIndex((line) => line.startsWith(post.id));
    expect(stuck[found]).toContain(`since ${twentyMinutesAgo.toISOString()}`);
    expect(stuck[found + 1]).toContain(`sandbox  waits for ${reason}  `);
  }
  expect(stuck.join('\n')).toMatch(
    /waits for network {2}next attempt .*Z {2}\d attempts? {2}last error unavailable: The sandbox failed/,
  );
  expect(stuck.find((line) => line.includes('waits for media'))).toMatch(
    `0 attempts  last error ${mediaId}: ${fetchError}`,
  );
});
