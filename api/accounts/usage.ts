// How much of its monthly limit an account has used.
import type { AccountUsage, GetAccountUsage } from '../../schema/accounts.ts';
import { findUsage, monthOf } from '../../schema/database/account-usage.ts';
import { getAccountRow } from '../../schema/database/accounts.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import { monthlyLimitOf, warningAt } from '../../schema/limits.ts';
import { toTimestamp } from '../../schema/timestamp.ts';
import type { Caller, Context } from '../context.ts';
import { requireReach } from './operations.ts';

export async function getAccountUsage(
  { db, config }: Context,
  caller: Caller,
  accountId: string,
  { month = monthOf(new Date()) }: GetAccountUsage,
): Promise<AccountUsage> {
  const account = await getAccountRow(db, caller.projectId, accountId);
  requireReach(caller, account.platform);
  const usage = await findUsage(db, accountId, month);
  const project = await getProjectRow(db, caller.projectId);
  const limit = monthlyLimitOf(config, project.monthly_posts_per_account);
  return {
    month,
    published: usage?.published ?? 0,
    limit,
    warning_at: limit === null ? null : warningAt(limit),
    warned_at: toTimestamp(usage?.warned_at ?? null),
    exceeded_at: toTimestamp(usage?.exceeded_at ?? null),
  };
}
