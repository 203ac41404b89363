// Queries on projects.
import { sql } from 'kysely';
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

/** What a project must not have while it is erased. */
export interface InUse {
  accounts: number;
  posts: number;
}

/** Counts connected accounts, and posts that are being published. */
export async function countInUse(db: Db, projectId: string): Promise<InUse> {
  const { rows } = await sql<InUse>`
    select (select count(*)::int from social_accounts
        where project_id = ${projectId} and status <> 'disconnected') as accounts,
      (select count(*)::int from posts
        where project_id = ${projectId} and status = 'pending') as posts`.execute(db);
  return rows[0]!;
}

/** The API refuses them within seconds. */
export async function revokeKeysOf(db: Db, projectId: string): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('project_id', '=', projectId)
    .execute();
}

export async function listMediaOf(db: Db, projectId: string): Promise<string[]> {
  const media = await db
    .selectFrom('media')
    .select('id')
    .where('project_id', '=', projectId)
    .execute();
  return media.map(({ id }) => id);
}

/**
 * Deletes some of what a project has in this table. Events have no foreign key to it. An account can't be deleted before
 * the results of its posts, and a login not before its accounts. Returns whether more may be left.
 */
export async function deleteSomeOf(
  db: Db,
  projectId: string,
  table: 'events' | 'posts' | 'social_accounts',
  limit: number,
): Promise<boolean> {
  const { rows } = await sql`
    delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where project_id = ${projectId} limit ${limit})
    returning id`.execute(db);
  return rows.length === limit;
}

/** Deletes the project and, by foreign keys, what else belongs to it. */
export async function deleteProject(db: Db, projectId: string): Promise<void> {
  await db.deleteFrom('projects').where('id', '=', projectId).execute();
}
