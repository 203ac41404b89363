// Decides which steps a check has, which step comes next, and how an outcome changes the steps. Pure functions.
import type { CheckStepName, StoredStep } from '../../schema/account-checks.ts';
import type { Traits } from '../../schema/platforms/definition.ts';
import type { PostingErrorCode } from '../../schema/posts/errors.ts';
import { findUnpublish } from '../platforms/index.ts';
import type { PlatformError } from '../platforms/platform-error.ts';
import type { AccountChecks, Platform } from '../platforms/platform.ts';
import { scopeMissing } from '../platforms/wrong-credential.ts';

export type StepEnd =
  | { outcome: 'passed'; message?: string | undefined }
  | { outcome: 'skipped'; message: string }
  | { outcome: 'failed'; code: PostingErrorCode; message: string };

/** `platform`: undefined if this installation doesn't have the network. `account`: the account that is checked. */
export function listSteps(
  platform: Platform | undefined,
  publishes: boolean,
  account: { traits: Traits; scope: readonly string[] } = { traits: {}, scope: [] },
): StoredStep[] {
  const checks: Partial<AccountChecks> = platform?.checks ?? {};
  const applies: Record<CheckStepName, boolean> = {
    login: true,
    scopes: true,
    app: platform?.definition.hasApp === true,
    quota: checks.quota !== undefined,
    media_address: platform?.definition.needsPublicMedia === true,
    preparation: checks.canPrepare === true,
    publication: publishes,
    read_back: publishes,
    removal: publishes && platform !== undefined && findUnpublish(platform, account) !== undefined,
  };
  const names = Object.keys(applies) as CheckStepName[];
  return names
    .filter((name) => applies[name])
    .map((name) => ({ name, status: 'pending', code: null, message: null }));
}

/** The first step that has not ended. */
export const findNext = (steps: readonly StoredStep[]): StoredStep | undefined =>
  steps.find(({ status }) => status === 'pending');

export const hasFailed = (steps: readonly StoredStep[]): boolean =>
  steps.some(({ status }) => status === 'failed');

const leftOut = 'Left out, because another step failed.';

/** Whether the step can't be taken, or would prove nothing, because an earlier step failed. */
export function isLeftOut(steps: readonly StoredStep[], name: CheckStepName): boolean {
  if (!hasFailed(steps) || name === 'media_address') return false;
  const published = steps.find((step) => step.name === 'publication');
  // The post is removed even if Fanfare could not read it back.
  return !(name === 'removal' && published?.status === 'passed');
}

/** Marks only this step as left out. */
export function leaveOut(steps: readonly StoredStep[], name: CheckStepName): StoredStep[] {
  return withOutcome(steps, name, { outcome: 'skipped', message: leftOut });
}

/** The step that each error code is about. The call of another step may fail with the code. */
const subjects: Partial<Record<PostingErrorCode, CheckStepName>> = {
  permission_missing: 'scopes',
  app_not_approved: 'app',
  quota_exhausted: 'quota',
};

/** A failure of these steps is shown at the step itself, because the post may then stay. */
export const isAfterPost = (name: CheckStepName): boolean =>
  name === 'read_back' || name === 'removal';

export function withOutcome(
  steps: readonly StoredStep[],
  name: CheckStepName,
  end: StepEnd,
): StoredStep[] {
  const { outcome: status, message = null } = end;
  if (end.outcome !== 'failed') return replace(steps, name, { status, code: null, message });
  const { code } = end;
  const subject = isAfterPost(name) ? name : (subjects[code] ?? name);
  if (subject === name || !steps.some((step) => step.name === subject)) {
    return replace(steps, name, { status, code, message });
  }
  // The network recognized the login, so the step `login` itself passed.
  const own =
    name === 'login'
      ? ({ status: 'passed', code: null, message: null } as const)
      : ({ status: 'skipped', code: null, message: leftOut } as const);
  return replace(replace(steps, name, own), subject, { status, code, message });
}

function replace(
  steps: readonly StoredStep[],
  name: CheckStepName,
  columns: Omit<StoredStep, 'name'>,
): StoredStep[] {
  return steps.map((step) => (step.name === name ? { name, ...columns } : step));
}

/** Whether the check may have published its post. If so, the post counts for the account's usage. */
export function mayHavePublished(steps: readonly StoredStep[]): boolean {
  const { status, code } = steps.find(({ name }) => name === 'publication') ?? {};
  return status === 'passed' || code === 'outcome_unknown';
}

/** The code of a step that fails with the error. */
export function codeOf({ kind, options }: PlatformError, step: CheckStepName): PostingErrorCode {
  switch (kind) {
    case 'reauthorize':
      return options.failsAs ?? (options.isRevoked ? 'token_revoked' : 'token_expired');
    case 'rate_limited':
      return options.isOutOfQuota ? 'quota_exhausted' : 'rate_limited';
    case 'rejected': {
      // An account can't be connected with such a login either.
      const isOfLogin = step === 'login' || options.platformCode === scopeMissing;
      return options.failsAs ?? (isOfLogin ? 'permission_missing' : 'rejected');
    }
    case 'unavailable':
      return options.failsAs ?? 'unavailable';
    case 'unknown_outcome':
      return step === 'publication' ? 'outcome_unknown' : 'unavailable';
  }
}
