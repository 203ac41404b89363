// Checks the targets of a request, and plans the results to write.
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Path, Text } from '../../../schema/wire/names.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import { listAccountsById, type AccountRow } from '../../../schema/database/accounts/accounts.ts';
import { lostAccountWords, reconnectCalls } from '../../../schema/posts/reconnecting.ts';
import { rulesOf } from '../../../activities/platforms/index.ts';
import type { Caller, Context } from '../../http/context.ts';
import { error, isError, toRefusal, type TargetIssue } from './target-issues.ts';
import { checkMediaUrls } from './media-urls.ts';
import { readTargets, type RequestTarget, type TargetInput } from './request-targets.ts';
import { checkContent } from './network-rules.ts';
import { checkThreads, orderThreads } from './threads.ts';
import { warnOfAccess, warnOfRepeats } from './warnings.ts';

export interface PlannedTarget {
  /** The position in the request's list. */
  index: number;
  account: SocialAccountRow;
  /** The path of the account in the request. */
  path: Path;
  caption: string | null;
  mediaUrls: string[] | null;
  platformOptions: Record<string, unknown>;
  threadPosition: number | null;
  inReplyTo: string | null;
  firstComment: string | null;
}

export interface CheckedTargets {
  issues: TargetIssue[];
  accounts: ReadonlyMap<string, SocialAccountRow>;
  /** Empty if an issue is an error. */
  targets: PlannedTarget[];
}

/** Throws one error with all issues. */
export async function planTargets(
  context: Context,
  caller: Caller,
  input: TargetInput,
): Promise<PlannedTarget[]> {
  const { issues, targets } = await checkTargets(context, caller, input, new Date());
  const refusal = toRefusal(issues);
  if (refusal) throw refusal;
  return targets;
}

/** An account that the caller can't see counts as unknown. */
export async function checkTargets(
  context: Context,
  caller: Caller,
  input: TargetInput,
  publishAt: Date,
): Promise<CheckedTargets> {
  const { named, issue } = readTargets(input, context.config.maxTargets);
  const rows = await listAccountsById(
    context.db,
    caller,
    named.map((target) => target.accountId),
  );
  const accounts = new Map(rows.map((account) => [account.id, account]));
  const issues = [
    ...(issue ? [error(issue)] : []),
    ...checkMediaUrls(input.media_urls, ['media_urls']).map((issue) => error(issue)),
    ...named.flatMap((target) =>
      checkTarget(context, target, accounts.get(target.accountId), input, publishAt),
    ),
    ...checkThreads(named),
    ...warnOfRepeats(named, input),
  ];
  if (issues.some(isError)) return { issues, accounts, targets: [] };
  const targets = named.map((target) => plan(context, target, accounts.get(target.accountId)!));
  return {
    issues,
    accounts,
    targets: orderThreads(
      targets,
      ({ account }) => account.id,
      ({ threadPosition }) => threadPosition,
    ),
  };
}

function checkTarget(
  { platforms }: Context,
  target: RequestTarget,
  account: AccountRow | undefined,
  input: TargetInput,
  publishAt: Date,
): TargetIssue[] {
  const refuse = (issue: Omit<Issue, 'path'>) => [error({ path: target.path, ...issue }, target)];
  if (!account) return refuse({ code: 'unknown_account', message: 'No account has this ID.' });
  if (account.status !== 'active') {
    const { status } = account;
    const message: Text = (names) =>
      `The account ${lostAccountWords[status]}. Connect it again: ${reconnectCalls(names)}.`;
    return refuse({ code: 'account_not_active', message, actual: status });
  }
  const platform = platforms.get(account.platform);
  if (!platform) {
    const message = `This installation does not publish to ${account.platform}.`;
    return refuse({ code: 'platform_not_configured', message });
  }
  const network = { ...platform.definition, rules: rulesOf(platform, account.traits) };
  return [
    ...checkContent(platforms, network, target, input).map((issue) => error(issue, target)),
    ...warnOfAccess(platform, account, target, publishAt),
  ];
}

function plan(
  { platforms }: Context,
  { own, path, index }: RequestTarget,
  account: SocialAccountRow,
): PlannedTarget {
  const { options } = platforms.get(account.platform)!.definition;
  return {
    index,
    account,
    path,
    caption: own.caption ?? null,
    mediaUrls: own.media_urls ?? null,
    platformOptions: options.parse(own.platform_options ?? {}),
    threadPosition: own.thread_position ?? null,
    inReplyTo: own.in_reply_to ?? null,
    firstComment: own.first_comment ?? null,
  };
}
