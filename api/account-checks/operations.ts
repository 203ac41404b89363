// Operations on checks of accounts: start one, and read it.
import { listSteps } from '../../activities/checks/steps.ts';
import { findUnpublish } from '../../activities/platforms/index.ts';
import type { Platform } from '../../activities/platforms/platform.ts';
import {
  AccountCheck,
  checksPerHour,
  nextActionOf,
  type CreateAccountCheck,
} from '../../schema/account-checks.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import {
  findCheckOfAccount,
  getCheckRow,
  insertCheck,
  listChecksById,
} from '../../schema/database/accounts/checks.ts';
import { addUsage, monthOf } from '../../schema/database/accounts/usage.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { AccountCheckRow, SocialAccountRow } from '../../schema/database/tables.ts';
import { postingErrorAnchor } from '../../schema/posts/errors.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import { present } from '../../schema/wire/present.ts';
import { requireScope } from '../http/auth/api-keys.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { settleUsage } from '../posts/count-usage.ts';

/**
 * Counts the post of the check in the account's usage at once. The activity subtracts it if nothing is
 * published.
 */
export async function createAccountCheck(
  context: Context,
  caller: Caller,
  accountId: string,
  { publish }: CreateAccountCheck,
): Promise<Answer<AccountCheck>> {
  const { projectId } = caller;
  const publishes = publish === true || publish === 'public';
  if (publishes) requireScope(caller, 'posts:write');
  const account = await getAccountRow(context.db, caller, accountId);
  if (account.status === 'disconnected') {
    const hint = 'Connect the account again first.';
    throw new AppError('conflict', 'The account was disconnected.', { hint });
  }
  const platform = context.platforms.get(account.platform);
  if (publishes && platform) requireTrialPost(platform);
  if (publish === true && platform) requireRemoval(platform, account);
  return transact(context, caller, async (effects) => {
    const month = publishes ? monthOf(new Date()) : null;
    const row = await insertCheck(effects.trx, {
      id: newId('check'),
      project_id: projectId,
      social_account_id: accountId,
      platform: account.platform,
      status: 'running',
      publishes,
      steps: JSON.stringify(listSteps(platform, publishes, account)),
      result_id: newId('result'),
      usage_month: month,
    });
    if (!row) {
      const running = await findCheckOfAccount(effects.trx, accountId);
      const hint = running ? `Wait until ${running} has ended.` : 'It has just ended. Try again.';
      throw new AppError('conflict', 'A check of this account is running.', { hint });
    }
    if (row.wait_ms !== null) throw tooManyChecks(row.wait_ms);
    if (month !== null) {
      effects.audit({ subject: 'account_check', subject_id: row.id, kind: 'created' });
      const usages = await addUsage(effects.trx, projectId, { accountId, month }, 1);
      await settleUsage(context, effects, caller, [{ account, path: ['publish'] }], usages);
    }
    return { status: 202, data: presentCheck(context, row) };
  });
}

function requireTrialPost({ definition: { title, trialPost } }: Platform): void {
  if (trialPost !== null) return;
  const message = `must be false at ${title}, where a check can't publish a post.`;
  throw validationError([{ path: ['publish'], code: 'no_trial_post', message }]);
}

/** Throws unless Fanfare can remove the post at the network. The error says who would see the post. */
function requireRemoval(
  platform: Platform,
  account: Pick<SocialAccountRow, 'traits' | 'scope'>,
): void {
  if (findUnpublish(platform, account)) return;
  const { title, trialPost } = platform.definition;
  const { seenBy = 'everyone', price } = trialPost ?? {};
  const message = [
    `must be "public" at ${title}: the post is seen by ${seenBy}, and stays until someone deletes it there.`,
    price,
  ];
  const words = message.filter(Boolean).join(' ');
  throw validationError([{ path: ['publish'], code: 'post_stays', message: words }]);
}

function tooManyChecks(waitMs: number): AppError {
  const { any, publishing } = checksPerHour;
  const message = `An account has at most ${any} checks an hour, and ${publishing} that publish a post.`;
  const minutes = countOf(Math.ceil(waitMs / 60_000), 'minute');
  return new AppError('rate_limited', message, {
    hint: `Check the account again in ${minutes}.`,
    retryAfterS: Math.ceil(waitMs / 1_000),
  });
}

export async function getAccountCheck(
  context: Context,
  caller: Caller,
  id: string,
  accountId?: string,
): Promise<AccountCheck> {
  return presentCheck(context, await getCheckRow(context.db, caller, id, accountId));
}

/** The checks with these ids that the scope includes. */
export async function findChecks(
  context: Context,
  scope: RowScope,
  ids: string[],
): Promise<AccountCheck[]> {
  const rows = await listChecksById(context.db, scope, ids);
  return rows.map((row) => presentCheck(context, row));
}

function presentCheck({ publicUrl }: Context, row: AccountCheckRow): AccountCheck {
  const steps = row.steps.map((step) => ({
    ...step,
    next_action: step.code === null ? ('none' as const) : nextActionOf(step.code),
    docs_url: step.code === null ? null : `${publicUrl}/docs#${postingErrorAnchor(step.code)}`,
  }));
  return present(AccountCheck, { ...row, steps });
}
