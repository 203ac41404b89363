// The read that every target makes. Targets that read at about the same time share a statement.
import DataLoader from 'dataloader';
import { findTargets, type TargetRow } from '../../schema/database/posts/targets.ts';
import type { Db } from '../../schema/database/tables.ts';
import { withoutProject } from '../current-project.ts';

export interface GroupedReads {
  target(resultId: string): Promise<TargetRow | undefined>;
}

const maxBatchSize = 100;

/** Caches nothing. */
export function createGroupedReads(db: Db): GroupedReads {
  const targets = new DataLoader<string, TargetRow | undefined>(
    async (ids) => {
      const rows = new Map((await findTargets(db, ids)).map((row) => [row.id, row]));
      return ids.map((id) => rows.get(id));
    },
    { cache: false, maxBatchSize },
  );
  // A group serves several projects.
  return { target: (resultId) => withoutProject(() => targets.load(resultId)) };
}
