// Statements that Postgres plans once for each connection, instead of at every call.
import type { CompiledQuery } from 'kysely';
import type { QueryConfig } from 'pg';
import type { Transaction } from './tables.ts';

type Executor = Pick<Transaction, 'getExecutor'>;

interface Statement<Row> {
  compile(db: Executor): CompiledQuery<Row>;
}

/** Each connection keeps the statement by its name. All statements of a name must have the same text. */
export async function executePrepared<Row>(
  db: Executor,
  name: string,
  statement: Statement<Row>,
): Promise<Row[]> {
  const compiled = statement.compile(db);
  // pg takes a named statement in place of a text, and Kysely passes it on. Kysely's types allow only a text.
  const named = { name, text: compiled.sql } satisfies QueryConfig as unknown as string;
  const { rows } = await db.getExecutor().executeQuery<Row>({ ...compiled, sql: named });
  return rows;
}
