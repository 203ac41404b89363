// Which rows a caller sees: those of its project, and with a test key only those of the test environment.
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
  // Not a parameter, so that partial indexes serve it.
  return sql<boolean>`(${isOfProject} and ${sql.ref(`${table}.environment`)} = 'test')`;
}

/** The same of a row that has been read. */
export function isInScope(
  { projectId, environment }: RowScope,
  row: { project_id: string; environment: KeyEnvironment },
): boolean {
  return (
    row.project_id === projectId && (environment === 'production' || row.environment === 'test')
  );
}
