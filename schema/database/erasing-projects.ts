// Queries that erase a project with everything that belongs to it.
import { sql } from 'kysely';
import type { Db } from './tables.ts';

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

/** Events have no foreign key to their project. Returns whether more may be left. */
export async function deleteEventsOf(db: Db, projectId: string, limit: number): Promise<boolean> {
  const { rows } = await sql`
    delete from events where id in (
      select id from events where project_id = ${projectId} limit ${limit})
    returning id`.execute(db);
  return rows.length === limit;
}

/** Deletes the project and, by foreign keys, what else belongs to it. */
export async function deleteProject(db: Db, projectId: string): Promise<void> {
  await db.deleteFrom('projects').where('id', '=', projectId).execute();
}
