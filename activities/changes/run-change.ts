// Makes the call of a change, or checks whether a lost call took effect. Records the begin and the answer.
import {
  beginChange,
  type ChangingTarget,
} from '../../schema/database/posts/after-publishing/result-changes.ts';
import { callForAccount } from '../logins/call-for-account.ts';
import type { Access } from '../logins/credentials.ts';
import { afterPublishingOf, isTooLate } from '../platforms/index.ts';
import { isGone, PlatformError } from '../platforms/platform-error.ts';
import { shortenError } from '../platforms/platform-answer.ts';
import type { Platform, PublishedPost } from '../platforms/platform.ts';
import { afterAbsent, afterError, afterStall, type NextStep } from '../publishing/backoff.ts';
import { recordRefusal } from '../publishing/rate-limits.ts';
import { clockAfter, defaultCallTimeoutMs } from '../publishing/run-phase.ts';
import type { ChangeDependencies } from './dependencies.ts';
import { toPublishedPost } from './published-post.ts';
import { applyStep, recordGone, recordMade } from './record-change.ts';

/** The network has the change. */
interface Made {
  isMade: true;
  /** Who can see the post from now on. Undefined: the same people as before. */
  visibility?: string | undefined;
}

/** `not_made`: a lost call took no effect. */
type Answer = Made | 'not_made' | 'stalled' | PlatformError;

/** Another execution has taken over the change. */
class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** Whether the network can be asked if a lost call took effect. */
export const canCheck = (platform: Platform, { change }: ChangingTarget): boolean =>
  checkOf(platform, change.type) !== undefined;

const checkOf = ({ unpublish, edit }: Platform, type: ChangingTarget['change']['type']) =>
  type === 'edit' ? edit?.isApplied : unpublish?.exists;

/** How long another execution owns the change, at least. */
const behindMs = 1_000;

export async function runChange(
  dependencies: ChangeDependencies,
  row: ChangingTarget,
  platform: Platform,
): Promise<number> {
  const { db, changeHeartbeats, clock, callTimeoutMs = defaultCallTimeoutMs } = dependencies;
  let { steps } = row.change;
  let startedMs = 0;
  let stopHeartbeats = () => {};
  const begin = async () => {
    startedMs = performance.now();
    if (!(await beginChange(db, { id: row.change.id, steps }))) throw new Superseded();
    steps++;
    stopHeartbeats();
    stopHeartbeats = changeHeartbeats.keep({ id: row.change.id, steps });
  };
  const call = async (access: Access): Promise<Answer> => {
    const spentMs = performance.now() - startedMs;
    // If this process stalled, another process may have replaced it by now.
    if (spentMs > clock.lostAfterMs / 2) return 'stalled';
    refuseLate(platform, row, access);
    const signal = AbortSignal.timeout(Math.ceil(Math.max(callTimeoutMs - spentMs, 1)));
    const post = toPublishedPost(row, access, row.change.content);
    return askNetwork(platform, row, { ...post, externalId: row.external_id! }, signal);
  };
  try {
    const answer = await callForAccount(
      dependencies,
      platform,
      row.social_account_id,
      call,
      begin,
    ).catch(readError);
    return await record(dependencies, { ...row, change: { ...row.change, steps } }, answer);
  } catch (error) {
    if (error instanceof Superseded) return behindMs;
    throw error;
  } finally {
    stopHeartbeats();
  }
}

function readError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return shortenError(error);
  throw error;
}

/** A wait for a pause or a limit may have lasted longer than the network allows the change. */
function refuseLate(
  platform: Platform,
  { phase, change, published_at, read_at }: ChangingTarget,
  { traits }: Access,
): void {
  const rules = afterPublishingOf(platform, traits)?.[change.type];
  if (phase !== 'commit' || !rules || !isTooLate(rules, published_at, read_at)) return;
  throw new PlatformError('rejected', '', { failsAs: 'too_late' });
}

async function askNetwork(
  { unpublish, edit }: Platform,
  { phase, change }: ChangingTarget,
  post: PublishedPost,
  signal: AbortSignal,
): Promise<Answer> {
  if (change.type === 'edit') {
    const edited = { ...post, changed: change.content ?? {} };
    const made: Made = { isMade: true, visibility: edit!.visibilityOf?.(edited) };
    if (phase === 'reconcile') return (await edit!.isApplied!(edited, signal)) ? made : 'not_made';
    await edit!.apply(edited, signal);
    return made;
  }
  if (phase === 'reconcile') {
    return (await unpublish!.exists!(post, signal)) ? 'not_made' : { isMade: true };
  }
  await unpublish!.remove(post, signal);
  return { isMade: true };
}

async function record(
  dependencies: ChangeDependencies,
  row: ChangingTarget,
  answer: Answer,
): Promise<number> {
  const { clock: limits, now } = dependencies;
  const { phase } = row;
  if (answer === 'stalled') return applyStep(dependencies, row, afterStall(phase, row.clock), '');
  if (typeof answer === 'object' && 'isMade' in answer) {
    return recordMade(dependencies, row, answer.visibility);
  }
  if (isGone(answer)) return recordGone(dependencies, row);
  const kind = answer instanceof PlatformError ? answer.kind : 'answered';
  const called = { ...row, clock: clockAfter(row, kind) };
  const { clock } = called;
  if (answer === 'not_made') {
    const step = clock.check
      ? ({ fail: 'outcome_unknown' } as const)
      : afterAbsent({ commitRepeatsForMs: 0 }, clock, limits, now());
    return applyStep(dependencies, called, step, 'The network did not make the change.');
  }
  if (kind === 'rate_limited' && !answer.options.isOutOfQuota) {
    await recordRefusal(dependencies, called, answer);
  }
  const step = afterError(answer, phase, clock, limits, now());
  return applyStep(dependencies, called, withCodeOf(answer, step), answer.message);
}

/** For an account without a login, `callForAccount` names the code in `failsAs`. */
function withCodeOf({ kind, options: { failsAs } }: PlatformError, step: NextStep): NextStep {
  const isKnown = 'fail' in step && step.fail !== 'outcome_unknown';
  return isKnown && kind === 'reauthorize' && failsAs ? { fail: failsAs } : step;
}
