// The reads that targets make before each step. Targets that read at about the same time share a statement.
import DataLoader from 'dataloader';
import { findTargets, type TargetRow } from '../../schema/database/posts/targets.ts';
import { listMediaByIds } from '../../schema/database/media/rows.ts';
import type { Db, MediaRow } from '../../schema/database/tables.ts';
import { withoutProject } from '../current-project.ts';

export interface GroupedReads {
  target(resultId: string): Promise<TargetRow | undefined>;
  /** In no order. Media that are gone have no row. */
  media(ids: readonly string[]): Promise<MediaRow[]>;
}

const maxBatchSize = 100;

/** Caches nothing. */
export function createGroupedReads(db: Db): GroupedReads {
  const byId = <Row extends { id: string }>(list: (ids: string[]) => Promise<Row[]>) =>
    new DataLoader<string, Row | undefined>(
      async (ids) => {
        const rows = new Map((await list([...new Set(ids)])).map((row) => [row.id, row]));
        return ids.map((id) => rows.get(id));
      },
      { cache: false, maxBatchSize },
    );
  const targets = byId((ids) => findTargets(db, ids));
  const media = byId((ids) => listMediaByIds(db, ids));
  // A group serves several projects.
  return {
    target: (resultId) => withoutProject(() => targets.load(resultId)),
    async media(ids) {
      const rows = await withoutProject(() => Promise.all(ids.map((id) => media.load(id))));
      return rows.filter((row) => row !== undefined);
    },
  };
}
