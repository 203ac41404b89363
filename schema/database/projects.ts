// Queries on projects.
import type { UpdateProject } from '../projects.ts';
import type { Db, LogoTheme, ProjectLogoRow, ProjectRow, Transaction } from './tables.ts';

export function insertProject(db: Db, project: { id: string; name: string }): Promise<ProjectRow> {
  return db.insertInto('projects').values(project).returningAll().executeTakeFirstOrThrow();
}

/** The oldest first. */
export function listProjectRows(db: Db): Promise<ProjectRow[]> {
  return db.selectFrom('projects').selectAll().orderBy('id').execute();
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

export type NewLogo = Pick<ProjectLogoRow, 'png' | 'width' | 'height'>;

/** `logo`: null removes the logo of the theme. */
export async function setLogo(
  trx: Transaction,
  projectId: string,
  theme: LogoTheme,
  logo: NewLogo | null,
): Promise<void> {
  if (logo) {
    await trx
      .insertInto('project_logos')
      .values({ project_id: projectId, theme, ...logo })
      .onConflict((conflict) => conflict.columns(['project_id', 'theme']).doUpdateSet(logo))
      .execute();
    return;
  }
  await trx
    .deleteFrom('project_logos')
    .where('project_id', '=', projectId)
    .where('theme', '=', theme)
    .execute();
}

export function findLogo(
  db: Db,
  projectId: string,
  theme: LogoTheme,
): Promise<ProjectLogoRow | undefined> {
  return db
    .selectFrom('project_logos')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('theme', '=', theme)
    .executeTakeFirst();
}
