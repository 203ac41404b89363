// The last error of each workflow, and of each post of a group, for the command `stuck`.
import { sql } from 'kysely';
import type { ActivityFailureRow, Db } from '../tables.ts';

export interface ActivityFailure {
  workflowId: string;
  activity: string;
  error: string;
}

const maxLength = 500;

/** Key for the errors of one post. Replaces the ID of a workflow that publishes many posts. */
export const failureKeyOf = (workflowId: string, postId: string): string =>
  `${workflowId}/${postId}`;

export async function recordActivityFailure(
  db: Db,
  { workflowId, activity, error }: ActivityFailure,
): Promise<void> {
  const failure = { activity, error: toLine(error) };
  await db
    .insertInto('activity_failures')
    .values({ workflow_id: workflowId, ...failure })
    .onConflict((conflict) =>
      conflict.column('workflow_id').doUpdateSet({
        ...failure,
        failures: sql`activity_failures.failures + 1`,
        failed_at: sql<Date>`now()`,
      }),
    )
    .execute();
}

export async function listActivityFailures(
  db: Db,
  workflowIds: string[],
): Promise<Map<string, ActivityFailureRow>> {
  const rows = await db
    .selectFrom('activity_failures')
    .selectAll()
    .where('workflow_id', '=', sql<string>`any(${workflowIds})`)
    .execute();
  return new Map(rows.map((row) => [row.workflow_id, row]));
}

/** Makes a line for a terminal and for Postgres, without line breaks and other control characters. */
export function toLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxLength);
}
