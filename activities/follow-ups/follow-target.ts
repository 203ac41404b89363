// Asks a network once about a published target that it still works on. The call only reads, so it can be repeated.
import {
  endFollowUp,
  findFollowedTarget,
  setFollowAt,
  type FollowedTarget,
} from '../../schema/database/posts/after-publishing/follow-ups.ts';
import { openState } from '../../schema/database/posts/provider-state.ts';
import type { FollowResultInput } from '../../schema/workflows.ts';
import { crowdedWaitMs } from '../call-places.ts';
import { toPublishedPost } from '../changes/published-post.ts';
import { asProject } from '../current-project.ts';
import { callForAccount } from '../logins/call-for-account.ts';
import type { Access } from '../logins/credentials.ts';
import { readFollowUp } from '../platforms/platform-answer.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import type { FollowUpOutcome, Platform } from '../platforms/platform.ts';
import { defaultCallTimeoutMs } from '../publishing/run-phase.ts';
import type { FollowDependencies } from './dependencies.ts';
import { recordFinished, recordRemoved } from './record-finished.ts';

/** Milliseconds until the network is asked again. Null: the follow-up has ended. */
export type FollowProgress = number | null;

/** The wait after an answer that says nothing about the post. */
const afterErrorMs = 60_000;
/** The least time between two questions to a network. */
const leastWaitMs = 1_000;

export async function followTarget(
  dependencies: FollowDependencies,
  { resultId }: FollowResultInput,
): Promise<FollowProgress> {
  const { db, platforms, places } = dependencies;
  const row = await findFollowedTarget(db, resultId);
  if (!row) {
    // The post may have been unpublished meanwhile.
    await endFollowUp(db, resultId);
    return null;
  }
  const dueMs = Math.max(row.follow_at.getTime(), row.blocked_until?.getTime() ?? 0);
  const waitMs = dueMs - row.read_at.getTime();
  if (waitMs > 0) return waitMs;
  const platform = platforms.get(row.platform);
  if (!platform?.followUp || row.follow_until <= row.read_at) return end(dependencies, row);
  using place = places.acquire(row.project_id);
  if (!place) return crowdedWaitMs(-waitMs);
  const answer = await asProject(row.project_id, () => ask(dependencies, platform, row));
  return record(dependencies, row, answer);
}

async function ask(
  dependencies: FollowDependencies,
  platform: Platform,
  row: FollowedTarget,
): Promise<FollowUpOutcome | PlatformError> {
  const { vault, callTimeoutMs = defaultCallTimeoutMs } = dependencies;
  const call = async (access: Access) => {
    const state = openState(vault, row);
    const post = { ...toPublishedPost(row, access), externalId: row.external_id, state };
    return readFollowUp(await platform.followUp!(post, AbortSignal.timeout(callTimeoutMs)));
  };
  try {
    return await callForAccount(dependencies, platform, row.social_account_id, call);
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
}

async function record(
  dependencies: FollowDependencies,
  row: FollowedTarget,
  answer: FollowUpOutcome | PlatformError,
): Promise<FollowProgress> {
  if (answer instanceof PlatformError) {
    // Without a login, nobody can ask. A refusal won't change.
    const isFinal = answer.kind === 'reauthorize' || answer.kind === 'rejected';
    if (isFinal) return end(dependencies, row);
    return waitFor(dependencies, row, answer.options.retryAfterMs ?? afterErrorMs);
  }
  if (answer.outcome === 'gone') {
    await recordRemoved(dependencies, row);
    return end(dependencies, row);
  }
  await recordFinished(dependencies, row, answer.finished ?? {});
  if (answer.outcome === 'done') return end(dependencies, row);
  return waitFor(dependencies, row, answer.waitMs);
}

async function waitFor(
  { db }: FollowDependencies,
  { id }: FollowedTarget,
  askedMs: number,
): Promise<FollowProgress> {
  const waitMs = Math.max(askedMs, leastWaitMs);
  await setFollowAt(db, id, waitMs);
  return waitMs;
}

async function end({ db }: FollowDependencies, { id }: FollowedTarget): Promise<null> {
  await endFollowUp(db, id);
  return null;
}
