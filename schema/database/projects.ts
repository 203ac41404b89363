// Queries on projects.
import type { UpdateProject } from '../projects.ts';
import type { Db, ProjectRow } from './tables.ts';

export function insertProject(db: Db, project: { id: string; name: string }): Promise<ProjectRow> {
  return db.insertInto('projects').values(project).returningAll().executeTakeFirstOrThrow();
}

export function findProjectRow(db: Db, id: string): Promise<ProjectRow | undefined> {
  return db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The project of a caller always exists, since its keys are deleted with it. */
export function getProjectRow(db: Db, id: string): Promise<ProjectRow> {
  return db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export function setProject(db: Db, id: string, changes: UpdateProject): Promise<ProjectRow> {
  return db
    .updateTable('projects')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
