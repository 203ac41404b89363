// Deliveries of a project's webhooks as rows: made, and what became of them.
import type { Db } from '../../../schema/database/tables.ts';
import { addEvent } from '../rows/rows.ts';

/** One event after the other; returns the ids of their deliveries, the oldest first. */
export async function addDeliveries(db: Db, projectId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(...(await addEvent(db, projectId)));
  return ids;
}

/** In the order of the ids given. */
export async function statusesOf(db: Db, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'status'])
    .where('id', 'in', ids)
    .execute();
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  return ids.map((id) => statuses.get(id) ?? 'missing');
}

/** The kinds of what has happened to it, the first one first. */
export async function changesOf(db: Db, subjectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('changes')
    .select('kind')
    .where('subject_id', '=', subjectId)
    .orderBy('id')
    .execute();
  return rows.map(({ kind }) => kind);
}
