// Whether a post's rows may be older than what was done for them, as SQL conditions on tables or their
// aliases.
import { sql } from 'kysely';

/** When the database was last restored to a state that holds the post; null: never. */
function restoredAt(posts: string) {
  return sql<Date | null>`greatest(${sql.ref(`${posts}.restored_at`)}, (
    select restored_at from restores where restored_at >= ${sql.ref(`${posts}.created_at`)}))`;
}

/** The target's network is to be asked for the post before anything is sent. */
export function mustCheck(results: string, posts: string) {
  return sql<boolean>`coalesce(
    ${restoredAt(posts)} > coalesce(${sql.ref(`${results}.checked_at`)}, '-infinity'), false)`;
}

/** The post was due before the restore, so that its targets may be public though their rows don't say so. */
export function wasDueBeforeRestore(posts: string) {
  const column = (name: string) => sql.ref(`${posts}.${name}`);
  return sql<boolean>`coalesce(
    ${column('due_at')} <= ${restoredAt(posts)} or ${column('concluded_run')} > 0, false)`;
}
