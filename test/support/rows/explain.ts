// Captures the queries that code under test runs, and asks Postgres how it would run them.
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { Database, Db } from '../../../schema/database/tables.ts';
import { createTestPool } from './pool.ts';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

export interface Explainer {
  /** Runs all queries against this database. */
  readonly db: Db;
  /** The tables that the queries of `work` read from end to end, each with its query. */
  findFullScans(work: (db: Db) => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
}

const explainable = /^\s*(select|with|insert|update|delete)\b/i;

export function createExplainer(url: string): Explainer {
  let captured: CompiledQuery[] = [];
  const pool = createTestPool(url, 2);
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ level, query }) => {
      if (level === 'query') captured.push(query);
    },
  });
  return {
    db,
    async findFullScans(work) {
      captured = [];
      await work(db);
      const queries = captured.filter(({ sql }) => explainable.test(toConfig(sql).text));
      if (queries.length === 0) throw new Error('No query was run.');
      const found: string[] = [];
      for (const { sql, parameters } of queries) {
        const { name, text } = toConfig(sql);
        const plan = name
          ? await explainKept(pool, text, parameters.length)
          : await explain(pool, text, [...parameters]);
        for (const table of fullScans(plan)) found.push(`${table}: ${text}`);
      }
      return found;
    },
    close: () => db.destroy(),
  };
}

/** A query is a text, or a named statement from `executePrepared`. */
const toConfig = (statement: string | QueryConfig): QueryConfig =>
  typeof statement === 'string' ? { text: statement } : statement;

type Explained = { 'QUERY PLAN': [{ Plan: PlanNode }] };

async function explain(db: Pool | PoolClient, sql: string, values: unknown[]): Promise<PlanNode> {
  const { rows } = await db.query<Explained>(`explain (format json) ${sql}`, values);
  return rows[0]!['QUERY PLAN'][0].Plan;
}

/**
 * The plan that a connection keeps for a prepared statement. Postgres makes this plan without knowing the
 * values.
 */
async function explainKept(pool: Pool, sql: string, parameterCount: number): Promise<PlanNode> {
  const client = await pool.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query(`prepare kept as ${sql}`);
    const values = Array.from({ length: parameterCount }, () => 'null').join(', ');
    return await explain(client, `execute kept${parameterCount > 0 ? `(${values})` : ''}`, []);
  } finally {
    client.release(true);
  }
}

function fullScans(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? '?'] : [];
  return [...own, ...(node.Plans ?? []).flatMap(fullScans)];
}
