// Wakes the polls of targets that a network has news of. An event only makes a poll due, and says nothing about its
// outcome.
import { sql } from 'kysely';
import {
  wakeResultWorkflow,
  wakeResultWorkflowId,
  type WakeResultInput,
} from '../../../workflows.ts';
import { listGrantsOfNetworkUser, type NetworkUser } from '../../accounts/network-users.ts';
import type { Notifier } from '../../notifier.ts';
import { insertOutbox } from '../../outbox.ts';
import type { Db, PostResultRow } from '../../tables.ts';
import { inTransaction } from '../../transaction.ts';

/** SQL: the target waits for its next `confirm`, and not because of a rate limit. */
const waitsForPoll = sql<boolean>`(r.status = 'publishing' and r.phase = 'confirm'
  and r.phase_state = 'ready' and r.next_attempt_at > now() and not r.clock ? 'rateLimitedSinceMs')`;

/** SQL: the target is published, and waits for its next follow-up. */
const waitsForFollowUp = sql<boolean>`(r.status = 'published' and r.follow_at > now())`;

export type PolledTarget = Pick<
  PostResultRow,
  'id' | 'project_id' | 'provider_state' | 'provider_state_key_id'
>;

/** The targets of the user that wait for a poll or a follow-up, in all projects. */
export async function listPolledTargets(db: Db, user: NetworkUser): Promise<PolledTarget[]> {
  const grants = await listGrantsOfNetworkUser(db, user);
  if (grants.length === 0) return [];
  const { rows } = await sql<PolledTarget>`
    select r.id, r.project_id, r.provider_state, r.provider_state_key_id from post_results r
    where r.social_account_id = any (array(
        select id from social_accounts where grant_id = any (${grants}::text[])))
      and (${waitsForPoll} or ${waitsForFollowUp})`.execute(db);
  return rows;
}

/** Makes the poll or the follow-up due, and starts a workflow for it. False: the target no longer waits for it. */
export function wakeTarget(
  db: Db,
  notifier: Notifier,
  { id: resultId, project_id: projectId }: PolledTarget,
): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const { rows } = await sql<{ status: string; run: number }>`
      update post_results r set
        next_attempt_at = case when ${waitsForPoll} then now() else r.next_attempt_at end,
        follow_at = case when ${waitsForFollowUp} then now() else r.follow_at end
      from posts where posts.id = r.post_id and r.id = ${resultId}
        and (${waitsForPoll} or ${waitsForFollowUp})
      returning r.status, posts.current_run as run`.execute(trx);
    const [woken] = rows;
    if (!woken) return false;
    const { status, run } = woken;
    const input: WakeResultInput = { resultId, ...(status === 'publishing' && { run }) };
    await insertOutbox(trx, {
      projectId,
      workflow: wakeResultWorkflow,
      workflowId: (outboxId) => wakeResultWorkflowId(resultId, outboxId),
      input,
    });
    return true;
  });
}
