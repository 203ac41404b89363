// Counts targets in their accounts' month, refuses those past the limit, and tells of one that comes near.
import { toQuotaEventData } from '../../schema/database/accounts/event-data.ts';
import {
  addUsage,
  moveUsage,
  previewUsage,
  setUsageTold,
  type CountedUsage,
} from '../../schema/database/accounts/usage.ts';
import { lockAccountBesideResults } from '../../schema/database/accounts/accounts.ts';
import type { PostResultRow } from '../../schema/database/tables.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { AppError, type Issue } from '../../schema/wire/errors.ts';
import { monthlyLimitOf, warningAt } from '../../schema/limits.ts';
import type { Caller, Context } from '../server/context.ts';
import type { Effects } from '../http/transact.ts';

export interface CountedTarget {
  account: { id: string; account_name: string };
  /** What of the request asks for it. */
  path: string;
}

/** Of results that are new, and have this `usage_month` themselves. Late: it locks until the commit. */
export async function countNewTargets(
  context: Context,
  effects: Effects,
  { projectId }: Pick<Caller, 'projectId'>,
  targets: CountedTarget[],
  month: string,
): Promise<void> {
  const accountIds = targets.map(({ account }) => account.id);
  const usages = await addUsage(effects.trx, projectId, accountIds, month);
  await settle(context, effects, targets, usages);
}

/** What `countNewTargets` would refuse, as things stand. */
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

export interface ResultsCount {
  /** Null: they are counted no more. */
  month: string | null;
  /** Results that this transaction has deleted for them, as they were. */
  replaced?: PostResultRow[];
  /** What of the request asks for the target at a position. */
  pathOf?: (position: number) => string;
}

/** Of results that are there, and locked: from now on each is counted in this month and in no other. */
export async function countResults(
  context: Context,
  effects: Effects,
  results: PostResultRow[],
  { month, replaced = [], pathOf = pathOfStored }: ResultsCount,
): Promise<void> {
  const moved = results.filter((result) => result.kind === 'post' && result.usage_month !== month);
  const targets = moved.map((result) => ({
    account: { id: result.social_account_id, account_name: result.account_name },
    path: pathOf(result.position),
  }));
  const usages = await moveUsage(
    effects.trx,
    moved.map(({ id }) => ({ resultId: id, month })),
    replaced.flatMap(({ social_account_id: accountId, usage_month }) =>
      usage_month === null ? [] : [{ accountId, month: usage_month }],
    ),
  );
  await settle(context, effects, targets, usages);
}

/** As the checks of a stored post name it too. */
const pathOfStored = (position: number) => `platform_posts[${position}].account_id`;

interface LimitedUsage extends CountedUsage {
  limit: number;
}

async function settle(
  context: Context,
  effects: Effects,
  targets: CountedTarget[],
  usages: CountedUsage[],
): Promise<void> {
  const limited = withLimits(context.config, usages);
  refuse(findExcess(targets, limited));
  for (const usage of limited) await tell(context, effects, usage);
}

/** Those that have one. */
function withLimits(config: Context['config'], usages: CountedUsage[]): LimitedUsage[] {
  return usages.flatMap((usage) => {
    const limit = monthlyLimitOf(config, usage.project_limit);
    return limit === null ? [] : [{ ...usage, limit }];
  });
}

/** Numbers the targets of each account on from what is counted without them. */
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
  throw new AppError('quota_exceeded', `${first.message}${more}`, {
    hint: 'Publish in another month (UTC), or raise `monthly_posts_per_account` of the project by `PATCH /v1/project`.',
    issues,
  });
}

function toIssue(
  { account, path }: CountedTarget,
  { month, limit }: LimitedUsage,
  actual: number,
): Issue {
  const message = `${account.account_name} may publish ${countOf(limit, 'target')} in ${month}; this is number ${actual}.`;
  return { path, code: 'quota_exceeded', message, actual, limit };
}

/** Once for each account and month, however often its count goes down and up again. */
async function tell(
  { config }: Context,
  { trx, change, notify }: Effects,
  usage: LimitedUsage,
): Promise<void> {
  const news = newsOf(usage);
  if (news.length === 0) return;
  await setUsageTold(
    trx,
    usage,
    news.map(({ column }) => column),
  );
  const account = await lockAccountBesideResults(trx, usage.social_account_id);
  for (const { kind } of news) {
    const event = {
      projectId: account.project_id,
      environment: account.environment,
      kind: `account.${kind}`,
      data: toQuotaEventData(account, usage),
      socialAccountId: account.id,
    } as const;
    await recordEvent(trx, event, config);
    change({ subject: 'account', subject_id: account.id, kind });
  }
  notify('fanfare_deliveries');
}

function newsOf({ published, limit, ...told }: LimitedUsage) {
  return [
    { kind: 'quota_warning', column: 'warned_at', from: warningAt(limit) } as const,
    { kind: 'quota_exceeded', column: 'exceeded_at', from: limit } as const,
  ].filter(({ column, from }) => told[column] === null && published >= from);
}
