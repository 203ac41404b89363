// Bursts repeat with their seed, and a restore creates again the posts that it lost.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import { connectAccounts } from './accounts.ts';
import { planBursts, projectCount } from './bursts.ts';
import { createChaosClient } from './client.ts';
import { startLoad } from './load.ts';
import type { PlannedPost } from './planned-posts.ts';

test('a seed repeats its bursts, of both kinds, of every project and of the size of the run', () => {
  const bursts = planBursts(7, 26, false);
  expect(planBursts(7, 26, false)).toEqual(bursts);
  expect(planBursts(8, 26, false)).not.toEqual(bursts);
  expect(bursts).toHaveLength(9);
  expect(new Set(bursts.map(({ aheadMs }) => aheadMs === undefined)).size).toBe(2);
  for (const { posts } of bursts) {
    expect(posts.length).toBeGreaterThanOrEqual(100);
    expect(posts.length).toBeLessThanOrEqual(300);
    expect(new Set(posts.map(({ project }) => project)).size).toBe(projectCount);
  }
  const sizes = planBursts(7, 4, true).map(({ posts }) => posts.length);
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(40);
});

const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_SANDBOX: 'true', FANFARE_MONTHLY_POSTS_PER_ACCOUNT: '0' },
});

/** Projects of an app of its own, and the load of a run that posts nothing by itself. */
async function startBursts() {
  const tenants = await Promise.all([1, 2, 3].map((number) => app.createTenant(`chaos ${number}`)));
  const keys = tenants.map(({ key }) => key);
  const client = createChaosClient([app.url], keys);
  const accountIds = await connectAccounts(client, projectCount);
  const options = { client, accountIds, seed: 7, perSecond: 1, most: 0, mostAheadMs: 5_000 };
  const load = startLoad(options);
  const projectIds = tenants.map(({ projectId }) => projectId);
  const expectStored = async () => {
    const rows = await app.context.db
      .selectFrom('posts')
      .select(['id', 'caption', 'project_id'])
      .where('project_id', 'in', projectIds)
      .execute();
    expect(load.differences).toEqual([]);
    const stored = rows.map((row) => `${row.id} ${row.caption} ${row.project_id}`);
    const loaded = load.posts.map(
      ({ id, plan }) => `${id} ${plan.name} ${projectIds[plan.project]}`,
    );
    expect(new Set(stored)).toEqual(new Set(loaded));
  };
  return { load, client, expectStored };
}

test('posts of a burst that a restore lost are created again, and the others are not', async () => {
  const { load, expectStored } = await startBursts();
  const { posts } = planBursts(7, 26, false)[0]!;
  const half = posts.length / 2;
  await load.burst(posts.slice(0, half), undefined);
  const kept = load.posts.map(({ id }) => id);
  const copiedAt = new Date();
  await load.burst(posts.slice(half), undefined);
  await load.stop(60_000);
  expect(load.posts.map(({ plan }) => plan).sort(byName)).toEqual([...posts].sort(byName));
  await expectStored();

  const { db } = app.context;
  const lost = load.posts.slice(kept.length).map(({ id }) => id);
  await db.deleteFrom('posts').where('id', 'in', lost).execute();
  await db.deleteFrom('idempotency_keys').where('created_at', '>=', copiedAt).execute();
  await load.resend(copiedAt);
  await expectStored();
  const ids = load.posts.map(({ id }) => id);
  expect(ids.slice(0, kept.length)).toEqual(kept);
  expect(ids.filter((id) => lost.includes(id))).toEqual([]);
});

const byName = (a: PlannedPost, b: PlannedPost) => a.name.localeCompare(b.name);

test('a bulk request is repeated while a post of it is refused for now', async () => {
  const { load, client, expectStored } = await startBursts();
  const { posts } = planBursts(8, 4, true)[0]!;
  const { db } = app.context;
  // A sequence counts the tries that were undone, too.
  await sql`create sequence tries`.execute(db);
  await sql`create function breaks() returns trigger language plpgsql as $$ begin
    if nextval('tries') = 1 then raise 'going away' using errcode = '57P01'; end if;
    return new;
  end $$`.execute(db);
  await sql`create trigger breaks before insert on posts for each row
    when (new.caption = ${sql.lit(posts[4]!.name)}) execute function breaks()`.execute(db);
  await load.burst(posts, undefined);
  await load.stop(60_000);
  expect(load.posts).toHaveLength(posts.length);
  await expectStored();
  expect(client.repeats).toBe(1);
});
