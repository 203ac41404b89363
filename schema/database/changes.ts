// The feed behind live subscriptions: one row for each change the outside may watch.
import type { ChangeSubject, Db } from './database.ts';

export interface NewChange {
  project_id: string;
  subject: ChangeSubject;
  subject_id: string;
  kind: string;
}

/** Call in the transaction that makes the change; ring `fanfare_changes` after its commit. */
export async function insertChanges(db: Db, changes: NewChange[]): Promise<void> {
  if (changes.length > 0) await db.insertInto('changes').values(changes).execute();
}
