// Captures the queries that code under test runs, and asks Postgres how it would run them.
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely';
import { Pool } from 'pg';
import type { Database, Db } from '../../schema/database/database.ts';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

export interface Explainer {
  /** Runs what it is given against this database. */
  readonly db: Db;
  /** The tables that the queries of `work` read from end to end, each with its query. */
  findFullScans(work: (db: Db) => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
}

const explainable = /^(\s|\/\*.*?\*\/)*(select|with|insert|update|delete)\b/i;

export function createExplainer(url: string): Explainer {
  let captured: CompiledQuery[] = [];
  const pool = new Pool({ connectionString: url, max: 2 });
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
      const queries = captured.filter(({ sql }) => explainable.test(sql));
      if (queries.length === 0) throw new Error('No query was run.');
      const found: string[] = [];
      for (const { sql, parameters } of queries) {
        const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (format json) ${sql}`,
          [...parameters],
        );
        for (const table of fullScans(rows[0]!['QUERY PLAN'][0].Plan)) {
          found.push(`${table}: ${sql}`);
        }
      }
      return found;
    },
    close: () => db.destroy(),
  };
}

function fullScans(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? '?'] : [];
  return [...own, ...(node.Plans ?? []).flatMap(fullScans)];
}
