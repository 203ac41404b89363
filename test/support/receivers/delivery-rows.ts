// Adds deliveries to a project's webhooks as rows, and reads the rows later.
import type { Db } from '../../../schema/database/tables.ts';
import { addEvent } from '../rows/rows.ts';

/** Adds one event after the other. Returns the IDs of their deliveries, oldest first. */
export async function addDeliveries(db: Db, projectId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(...(await addEvent(db, projectId)));
  return ids;
}

/** The statuses in the order of the given IDs. */
export async function statusesOf(db: Db, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'status'])
    .where('id', 'in', ids)
    .execute();
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  return ids.map((id) => statuses.get(id) ?? 'missing');
}

/** The kinds of the changes of a subject, oldest first. */
export async function changesOf(db: Db, subjectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('changes')
    .select('kind')
    .where('subject_id', '=', subjectId)
    .orderBy('id')
    .execute();
  return rows.map(({ kind }) => kind);
}
