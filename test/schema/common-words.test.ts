// A search for a word that every post has: it reads the posts of its project by the indexes of words.
import type { CompiledQuery } from 'kysely';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPostRows } from '../../schema/database/posts/listing/pages.ts';
import type { Database } from '../../schema/database/tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { createTestPool } from '../support/rows/pool.ts';

interface PlanNode {
  Filter?: string;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const large = 3_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const pool = createTestPool(database.url, 1);
  for (const statement of [
    `insert into projects (id, name) values ('prj_small', 'small'), ('prj_large', 'large')`,
    `insert into social_accounts (id, project_id, platform, account_name, external_account_id,
      connection_type, status)
      values ('sa_1', 'prj_large', 'sandbox', 'ada', 'ada', 'credentials', 'active')`,
    `insert into posts (id, project_id, environment, caption, status)
      select 'post_' || i, case when i < 10 then 'prj_small' else 'prj_large' end, 'production',
        'the spring ' || i, 'draft'
      from generate_series(0, ${large}) i`,
    `insert into post_results (id, post_id, project_id, position, social_account_id, platform,
      account_name, caption, status, phase, phase_state)
      select 'res_' || i, 'post_' || i, 'prj_large', 0, 'sa_1', 'sandbox', 'ada', 'the spring',
        'pending', 'prepare', 'ready'
      from generate_series(10, ${large}) i`,
    'vacuum analyze posts, post_results',
  ]) {
    await pool.query(statement);
  }
  await pool.end();
});
afterAll(() => database?.drop());

/** The nodes of the plan that Postgres followed. */
async function search(projectId: string): Promise<PlanNode[]> {
  const captured: CompiledQuery[] = [];
  const pool = createTestPool(database.url, 1);
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      captured.push(query);
    },
  });
  try {
    const scope = { projectId, environment: 'production' } as const;
    expect(await listPostRows(db, scope, { q: 'spring' }, { limit: 5 })).toHaveLength(5);
    const [{ sql, parameters }] = captured as [CompiledQuery];
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${sql}`,
      [...parameters],
    );
    return nodesOf(rows[0]!['QUERY PLAN'][0].Plan);
  } finally {
    await db.destroy();
  }
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

test.each(['prj_small', 'prj_large'])('finds the words of no row again, in %s', async (project) => {
  const filters = (await search(project)).flatMap(({ Filter }) => Filter ?? []);
  expect(filters.filter((filter) => /words_of|to_tsvector/.test(filter))).toEqual([]);
});

test('reads no posts of other projects', async () => {
  const removed = (await search('prj_small')).map((node) => node['Rows Removed by Filter'] ?? 0);
  expect(Math.max(...removed)).toBeLessThan(100);
});
