// The reads that every target makes. Targets that read at about the same time share a statement.
import DataLoader from 'dataloader';
import { findLogins, type LoginRow } from '../../schema/database/accounts/credentials.ts';
import { findTargets, type TargetRow } from '../../schema/database/posts/targets.ts';
import type { Db } from '../../schema/database/tables.ts';
import { withoutProject } from '../current-project.ts';

export interface GroupedReads {
  target(resultId: string): Promise<TargetRow | undefined>;
  /** Undefined: the account is not active. */
  login(accountId: string): Promise<LoginRow | undefined>;
}

const maxBatchSize = 100;

export function createGroupedReads(db: Db): GroupedReads {
  const targets = inGroups((ids) => findTargets(db, ids), 'id');
  const logins = inGroups((ids) => findLogins(db, ids), 'account_id');
  return {
    // A group serves several projects.
    target: (resultId) => withoutProject(() => targets.load(resultId)),
    login: (accountId) => withoutProject(() => logins.load(accountId)),
  };
}

/** Caches nothing. */
function inGroups<Column extends string, Row extends Record<Column, string>>(
  find: (ids: readonly string[]) => Promise<Row[]>,
  column: Column,
): DataLoader<string, Row | undefined> {
  return new DataLoader(
    async (ids) => {
      const rows = new Map((await find(ids)).map((row) => [row[column] as string, row]));
      return ids.map((id) => rows.get(id));
    },
    { cache: false, maxBatchSize },
  );
}
