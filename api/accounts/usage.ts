// Reads how much of its monthly limit an account has used.
import type { AccountUsage, GetAccountUsage } from '../../schema/accounts.ts';
import { listUsage, monthOf } from '../../schema/database/accounts/usage.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import { monthlyLimitOf, warningAt } from '../../schema/wire/limits.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Caller, Context } from '../http/context.ts';

export async function getAccountUsage(
  context: Context,
  caller: Caller,
  accountId: string,
  query: GetAccountUsage,
): Promise<AccountUsage> {
  await getAccountRow(context.db, caller, accountId);
  const usage = await findUsage(context, caller, [accountId], query);
  return usage.get(accountId)!;
}

/** The caller must have access to the accounts. */
export async function findUsage(
  { db, config }: Context,
  { projectId }: Caller,
  accountIds: string[],
  { month = monthOf(new Date()) }: GetAccountUsage,
): Promise<Map<string, AccountUsage>> {
  const [rows, project] = await Promise.all([
    listUsage(db, projectId, accountIds, month),
    getProjectRow(db, projectId),
  ]);
  const limit = monthlyLimitOf(config, project.monthly_posts_per_account);
  const rowOf = new Map(rows.map((row) => [row.social_account_id, row]));
  return new Map(
    accountIds.map((id) => {
      const row = rowOf.get(id);
      const usage = {
        month,
        published: row?.published ?? 0,
        limit,
        warning_at: limit === null ? null : warningAt(limit),
        warned_at: toTimestamp(row?.warned_at ?? null),
        exceeded_at: toTimestamp(row?.exceeded_at ?? null),
      };
      return [id, usage];
    }),
  );
}
