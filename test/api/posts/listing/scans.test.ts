// Reads that may go through all posts of a project: two at a time, so that they leave room for other projects.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { useApp } from '../../../support/app/app.ts';
import { elapse } from '../../../support/elapse.ts';

const app = useApp({ roles: { api: true, worker: false } });

test.each([
  ['exports', '/v1/posts.csv'],
  ['searches', '/v1/posts?q=word'],
  ['lists of labels', '/v1/labels'],
  [
    'counts by day',
    '/v1/posts/counts?from=2026-12-01T00:00:00Z&to=2027-01-01T00:00:00Z&timezone=UTC',
  ],
])('of many %s of a project, two read at a time', async (_, path) => {
  const { db } = app.context;
  const { key } = await app.createTenant('crowd');
  const countReads = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows[0]!.count;
  };
  const headers = { Authorization: `Bearer ${key}` };
  const answers: Promise<Response>[] = [];
  await db.transaction().execute(async (trx) => {
    await sql`lock table posts in access exclusive mode`.execute(trx);
    for (let i = 0; i < 8; i++) answers.push(fetch(`${app.url}${path}`, { headers }));
    await vi.waitFor(async () => expect(await countReads()).toBe(2), { timeout: 10_000 });
    await elapse(300, 'no third read follows');
    expect(await countReads()).toBe(2);
  });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
});
