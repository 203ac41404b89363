// What a stream has missed is found among its own project's changes, however many the others make.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index changes_by_project on changes (project_id, xid, id)`.execute(db);
}
