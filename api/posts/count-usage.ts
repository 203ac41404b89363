// Counts the targets of each account per month, enforces the monthly limit, and reports accounts close to it.
import { recordAccountEvent } from '../../schema/database/events/account-events.ts';
import {
  moveUsage,
  previewUsage,
  setUsageNotified,
  type CountedUsage,
} from '../../schema/database/accounts/usage.ts';
import { lockAccountBesideResults } from '../../schema/database/accounts/accounts.ts';
import type { PostResultRow, SocialAccountRow } from '../../schema/database/tables.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { AppError, type Issue } from '../../schema/wire/errors.ts';
import { monthlyLimitOf, warningAt } from '../../schema/wire/limits.ts';
import { render, type Path } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Effects } from '../http/transact.ts';

export interface CountedTarget {
  account: Pick<SocialAccountRow, 'id' | 'account_name' | 'platform'>;
  /** Path of the target in the request. */
  path: Path;
}

/** The issues with which `settleUsage` would refuse the targets now. */
export async function foreseeExcess(
  { config, db }: Context,
  { projectId }: Pick<Caller, 'projectId'>,
  targets: CountedTarget[],
  month: string,
): Promise<Issue[]> {
  const accountIds = targets.map(({ account }) => account.id);
  const usages = await previewUsage(db, projectId, accountIds, month);
  return findExcess(targets, withLimits(config, usages));
}

/** Throws the error with which `settleUsage` would refuse the targets now. */
export async function requireRoom(
  context: Context,
  caller: Pick<Caller, 'projectId'>,
  targets: CountedTarget[],
  month: string,
): Promise<void> {
  refuse(await foreseeExcess(context, caller, targets, month));
}

export interface ResultsCount {
  /** Null: the results no longer count. */
  month: string | null;
  /** Results that this transaction has replaced and deleted. */
  replaced?: PostResultRow[];
  /** Path in the request of the target at a position. */
  pathOf?: (position: number) => Path;
}

/** Counts existing results in this month and in no other. The caller has locked the results. */
export async function countResults(
  context: Context,
  effects: Effects,
  { projectId }: Pick<Caller, 'projectId'>,
  results: PostResultRow[],
  { month, replaced = [], pathOf = pathOfStored }: ResultsCount,
): Promise<void> {
  const moved = results.filter((result) => result.kind === 'post' && result.usage_month !== month);
  const targets = moved.map((result) => ({
    account: {
      id: result.social_account_id,
      account_name: result.account_name,
      platform: result.platform,
    },
    path: pathOf(result.position),
  }));
  const usages = await moveUsage(
    effects.trx,
    projectId,
    moved.map(({ id }) => ({ resultId: id, month })),
    replaced.flatMap(({ social_account_id: accountId, usage_month }) =>
      usage_month === null ? [] : [{ accountId, month: usage_month }],
    ),
  );
  await settleUsage(context, effects, { projectId }, targets, usages);
}

/** The checks of a stored post use the same paths. */
const pathOfStored = (position: number): Path => ['platform_posts', position, 'account_id'];

interface LimitedUsage extends CountedUsage {
  limit: number;
}

/**
 * Refuses targets beyond their account's limit and reports accounts close to it. `usages` includes the
 * targets.
 */
export async function settleUsage(
  context: Context,
  effects: Effects,
  caller: Pick<Caller, 'projectId'>,
  targets: CountedTarget[],
  usages: CountedUsage[],
): Promise<void> {
  const limited = withLimits(context.config, usages);
  refuse(findExcess(targets, limited));
  for (const usage of limited) await notifyOwner(context, effects, caller, usage);
}

/** Leaves out accounts without a limit. */
function withLimits(config: Context['config'], usages: CountedUsage[]): LimitedUsage[] {
  return usages.flatMap((usage) => {
    const limit = monthlyLimitOf(config, usage.project_limit);
    return limit === null ? [] : [{ ...usage, limit }];
  });
}

/** Numbers the targets of each account, starting after those already counted. */
function findExcess(targets: CountedTarget[], usages: LimitedUsage[]): Issue[] {
  const byAccount = Map.groupBy(targets, ({ account }) => account.id);
  const counts = new Map(
    usages.map((usage) => {
      const id = usage.social_account_id;
      return [id, { usage, number: usage.published - byAccount.get(id)!.length }];
    }),
  );
  return targets.flatMap((target) => {
    const count = counts.get(target.account.id);
    if (!count || ++count.number <= count.usage.limit) return [];
    return [toIssue(target, count.usage, count.number)];
  });
}

function refuse(issues: Issue[]): void {
  const [first, ...others] = issues;
  if (!first) return;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new AppError('quota_exceeded', (names) => `${render(first.message, names)}${more}`, {
    hint: ({ field, operation }) =>
      `Publish in another month (UTC), or raise ${field('monthly_posts_per_account')} of the project by ${operation('updateProject')}.`,
    issues,
  });
}

function toIssue(
  { account, path }: CountedTarget,
  { month, limit }: LimitedUsage,
  actual: number,
): Issue {
  const message = `${account.account_name} may publish ${countOf(limit, 'target')} in ${month}; this is number ${actual}.`;
  const ofPost = {
    platform_post_index: typeof path[1] === 'number' ? path[1] : null,
    account_id: account.id,
    platform: account.platform,
    severity: 'error',
  } as const;
  return { path, code: 'quota_exceeded', message, actual, limit, ofPost };
}

/** Sends each event once per account and month, even if the count falls and rises again. */
async function notifyOwner(
  { config }: Context,
  { trx, change }: Effects,
  { projectId }: Pick<Caller, 'projectId'>,
  usage: LimitedUsage,
): Promise<void> {
  const { month, published, limit } = usage;
  const news = newsOf(usage);
  if (news.length === 0) return;
  await setUsageNotified(
    trx,
    projectId,
    usage,
    news.map(({ column }) => column),
  );
  const account = await lockAccountBesideResults(trx, projectId, usage.social_account_id);
  for (const { kind } of news) {
    const details = { month, published, limit };
    await recordAccountEvent(trx, account, `account.${kind}`, config, details);
    change({ subject: 'account', subject_id: account.id, kind });
  }
}

function newsOf({ published, limit, ...sent }: LimitedUsage) {
  return [
    { kind: 'quota_warning', column: 'warned_at', from: warningAt(limit) } as const,
    { kind: 'quota_exceeded', column: 'exceeded_at', from: limit } as const,
  ].filter(({ column, from }) => sent[column] === null && published >= from);
}
