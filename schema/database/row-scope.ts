// The rows that a caller may see: those of its project, and with a test key only those of the test
// environment. Every query of a tenant's rows takes a RowScope or a projectId right after the database.
// Exceptions: the engine (publishing, delivering, relay, sweeper, pruning, live feed), which finds rows by
// ids from its own rows, and queries by a secret, such as an API key or a connect token.
import {
  sql,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely';
import type { KeyEnvironment } from '../api-keys.ts';
import type { Database, Db } from './tables.ts';

export interface RowScope {
  readonly projectId: string;
  readonly environment: KeyEnvironment;
}

/** A condition on the rows of `table`, which has `project_id` and `environment`. */
export function inScope({ projectId, environment }: RowScope, table: string): RawBuilder<boolean> {
  const isOfProject = sql<boolean>`${sql.ref(`${table}.project_id`)} = ${projectId}`;
  if (environment === 'production') return isOfProject;
  // Not a parameter, because Postgres must recognize the condition of partial indexes.
  return sql<boolean>`(${isOfProject} and ${sql.ref(`${table}.environment`)} = 'test')`;
}

type ScopedTable =
  | 'account_checks'
  | 'api_keys'
  | 'connect_sessions'
  | 'events'
  | 'media'
  | 'platform_apps'
  | 'posts'
  | 'queues'
  | 'replays'
  | 'social_accounts'
  | 'webhook_subscriptions';

/** The rows of `table` in the scope, with all columns. */
export function selectInScope<Table extends ScopedTable>(db: Db, scope: RowScope, table: Table) {
  const rows = db.selectFrom<ScopedTable>(table).selectAll().where(inScope(scope, table));
  return rows as unknown as SelectQueryBuilder<Database, Table, Selectable<Database[Table]>>;
}

type OwnedTable = ScopedTable | 'post_results';

/** Updates one row of the project. */
export function updateOfProject<Table extends OwnedTable>(
  db: Db,
  projectId: string,
  table: Table,
  id: string,
) {
  const row = db
    .updateTable<OwnedTable>(table)
    .where(sql<boolean>`project_id = ${projectId} and id = ${id}`);
  return row as unknown as UpdateQueryBuilder<Database, Table, Table, UpdateResult>;
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
