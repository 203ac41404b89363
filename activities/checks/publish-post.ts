// Publishes the post of a check at most once, reads it back and removes it.
import { findRunningCheck } from '../../schema/database/accounts/checks.ts';
import { readOutcome, type PhaseOutcome } from '../platforms/platform-answer.ts';
import { isGone, PlatformError } from '../platforms/platform-error.ts';
import type { Published } from '../platforms/platform.ts';
import { afterError, askWithLogin } from './ask-with-login.ts';
import { fail, pass, skip, wait, type CheckRun, type Taken } from './check-run.ts';
import { refuseIfLimited, waitForSlot } from './limits.ts';
import { codeOf } from './steps.ts';

/**
 * The commit is recorded as begun before it is sent, and is sent at most once. If another execution finds a
 * begun commit, it looks for the post instead.
 */
export function publish(run: CheckRun): Taken | Promise<Taken> {
  const { progress, runId } = run;
  switch (progress.phase) {
    case undefined:
      return begin(run);
    case 'begun':
      return progress.begunBy === runId ? commit(run) : search(run);
    case 'confirm':
      return confirm(run);
    case 'reconcile':
      return findLost(run);
  }
}

async function begin(run: CheckRun): Promise<Taken> {
  const { check, runId } = run;
  // A post from before the restore may exist. The state prepared after the restore says nothing about that post.
  if (check.was_restored) return search(run, {});
  if (check.is_paused) {
    return fail('unavailable', 'The operator paused the network or the project.');
  }
  const held = (await refuseIfLimited(run)) ?? (await waitForSlot(run));
  return held ?? wait(0, { phase: 'begun', begunBy: runId, tries: 0 });
}

async function commit(run: CheckRun): Promise<Taken> {
  const { platform } = run;
  const answer = await askWithLogin(
    run,
    async (target, signal) => readOutcome(await platform.commit(target, signal)),
    () => requireCurrent(run),
  );
  if (!(answer instanceof PlatformError)) return afterAnswer(run, answer);
  if (answer.kind === 'unknown_outcome') return search(run);
  return fail(codeOf(answer, 'publication'), answer.message);
}

/**
 * Throws if another execution has continued the check, for example because this process stalled. The other execution
 * looks for the post already.
 */
async function requireCurrent({ dependencies: { db }, check }: CheckRun): Promise<void> {
  const current = await findRunningCheck(db, check.id);
  if (current?.version !== check.version) throw new PlatformError('unknown_outcome', lost);
}

async function confirm(run: CheckRun): Promise<Taken> {
  const { platform, progress } = run;
  const answer = await askWithLogin(run, async (target, signal) =>
    readOutcome(await platform.confirm!(target, signal)),
  );
  if (!(answer instanceof PlatformError)) return afterAnswer(run, answer);
  // The network has accepted the post, so only a refusal by the network says that the post is not public.
  if (answer.kind === 'reauthorize') return fail('outcome_unknown', answer.message);
  if (answer.kind !== 'rejected') return waitToConfirm(run, progress.state);
  return fail(codeOf(answer, 'publication'), answer.message);
}

function afterAnswer(run: CheckRun, answer: PhaseOutcome): Taken {
  switch (answer.outcome) {
    case 'published':
      return published(run, answer.published);
    case 'accepted':
      return waitToConfirm(run, answer.state);
    case 'stale':
      return fail('unavailable', 'The network no longer had the prepared post.');
    case 'prepared':
    case 'more':
    case 'absent':
    case 'unknown':
      return search(run);
  }
}

function published({ platform }: CheckRun, { externalId, url, visibility }: Published): Taken {
  const { options, seenBy = 'everyone' } = platform.definition.trialPost ?? {};
  // Some servers don't support the requested visibility.
  const readers = options && visibility === 'public' ? 'everyone' : seenBy;
  const place = url === null ? '.' : `: ${url}`;
  return pass(`The post is seen by ${readers}${place}`, { externalId });
}

/** Each wait is longer than the wait before it. */
function waitToConfirm(
  { dependencies: { clock }, progress: { phase, tries } }: CheckRun,
  state: Record<string, unknown>,
): Taken {
  const polls = phase === 'confirm' ? tries : 0;
  const waitMs = Math.min(clock.confirmFirstMs * 2 ** polls, clock.confirmMaxMs);
  return wait(waitMs, { phase: 'confirm', state, tries: polls + 1 });
}

const lost = 'The answer to the publication was lost.';

/** `tries` counts the searches at the network, including the one that follows the wait. */
function search(
  { dependencies: { clock }, platform, progress }: CheckRun,
  state = progress.state,
): Taken {
  const [waitMs = 0] = clock.reconcileDelaysMs;
  if (!platform.reconcile) return fail('outcome_unknown', lost);
  return wait(waitMs, { phase: 'reconcile', state, tries: 1 });
}

async function findLost(run: CheckRun): Promise<Taken> {
  const { dependencies, progress, platform } = run;
  const found = await look(run);
  const answer = found instanceof PlatformError ? undefined : found;
  if (answer?.outcome === 'published') return published(run, answer.published);
  const waitMs = dependencies.clock.reconcileDelaysMs[progress.tries];
  if (answer?.outcome !== 'unknown' && waitMs !== undefined) {
    return wait(waitMs, { tries: progress.tries + 1 });
  }
  if (answer?.outcome === 'absent') {
    return fail('unavailable', `${platform.definition.title} did not take the post.`);
  }
  return fail('outcome_unknown', lost);
}

/** Looks for the post with the same call that is used after a lost answer. */
function look(run: CheckRun): Promise<PhaseOutcome | PlatformError> {
  const { platform } = run;
  return askWithLogin(run, async (target, signal) =>
    readOutcome(await platform.reconcile!(target, signal)),
  );
}

export async function readBack(run: CheckRun): Promise<Taken> {
  const { dependencies, progress, platform } = run;
  const { title } = platform.definition;
  if (!platform.reconcile) return skip(`Fanfare can't read posts at ${title}.`);
  const found = await look(run);
  if (found instanceof PlatformError) return afterError(run, 'read_back', found);
  if (found.outcome === 'published') return pass();
  if (found.outcome === 'unknown') return skip(`${title} doesn't say which post it is.`);
  // A network's list of posts may not show a new post at once.
  const waitMs = dependencies.clock.reconcileDelaysMs[progress.tries + 1];
  if (waitMs !== undefined) return wait(waitMs, { tries: progress.tries + 1 });
  return fail('outcome_unknown', `${title} doesn't show the post.`);
}

export async function remove(run: CheckRun): Promise<Taken> {
  const { externalId } = run.progress;
  const { unpublish } = run.platform;
  if (externalId === null || !unpublish) {
    return skip('The network gave no ID of the post, so it stays.');
  }
  const error = await askWithLogin(run, async ({ media, ...target }, signal) => {
    const altTexts = media.map(({ altText }) => altText);
    await unpublish.remove({ ...target, externalId, altTexts, publishedAt: null }, signal);
    return null;
  });
  return error && !isGone(error) ? afterError(run, 'removal', error) : pass();
}
