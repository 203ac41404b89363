// Reschedules many posts at once.
import { sql } from 'kysely';
import type { Transaction } from '../tables.ts';

interface NewRun {
  /** ID of the post. */
  id: string;
  at: Date;
  run: number;
  workflow_id: string;
}

/** Gives scheduled posts new times and runs. */
export async function setRescheduled(
  trx: Transaction,
  projectId: string,
  runs: readonly NewRun[],
): Promise<void> {
  const given = runs.map(({ id, at, run, workflow_id }) => ({ id, at, run, workflow_id }));
  await sql`
    update posts set scheduled_at = given.at, due_at = given.at, run_due_at = given.at,
      current_run = given.run, workflow_id = given.workflow_id, progressed_at = now()
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (id text, at timestamptz,
      run int, workflow_id text)
    where posts.project_id = ${projectId} and posts.id = given.id`.execute(trx);
}
