// The rows that a caller may see: those of its project, and with a test key only those of the test
// environment. Every query of a tenant's rows takes a RowScope or a projectId right after the database.
// Exceptions: the engine (publishing, delivering, relay, sweeper, pruning, live feed), which finds rows by
// ids from its own rows, and queries by a secret, such as an API key or a connect token.
import { sql, type RawBuilder } from 'kysely';
import type { KeyEnvironment } from '../api-keys.ts';

export interface RowScope {
  readonly projectId: string;
  readonly environment: KeyEnvironment;
}

/** A condition on the rows of `table`, which has `project_id` and `environment`. */
export function inScope({ projectId, environment }: RowScope, table: string): RawBuilder<boolean> {
  const isOfProject = sql<boolean>`${sql.ref(`${table}.project_id`)} = ${projectId}`;
  if (environment === 'production') return isOfProject;
  // Not a parameter: Postgres must recognize the condition of partial indexes.
  return sql<boolean>`(${isOfProject} and ${sql.ref(`${table}.environment`)} = 'test')`;
}

/** `inScope` for a row in memory. */
export function isInScope(
  { projectId, environment }: RowScope,
  row: { project_id: string; environment: KeyEnvironment },
): boolean {
  return (
    row.project_id === projectId && (environment === 'production' || row.environment === 'test')
  );
}
