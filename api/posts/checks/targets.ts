// From the targets that a request names to those that are written: accounts found, all checked.
import type { Issue } from '../../../schema/wire/errors.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import { listAccountsById } from '../../../schema/database/accounts/accounts.ts';
import { lostAccountWords, reconnectCalls } from '../../../schema/reconnecting.ts';
import { rulesOf } from '../../../activities/platforms/index.ts';
import type { Caller, Context } from '../../server/context.ts';
import { fault, isFault, toRefusal, type Finding } from './findings.ts';
import { checkMediaUrls } from './media-urls.ts';
import { nameTargets, type NamedTarget, type TargetInput } from './named-targets.ts';
import { checkContent } from './network-rules.ts';
import { checkThreads, orderThreads } from './threads.ts';
import { warnOfAccess, warnOfRepeats } from './warnings.ts';

export interface PlannedTarget {
  /** Its place in the request's list. */
  index: number;
  account: SocialAccountRow;
  /** Where the request names the account. */
  path: string;
  caption: string | null;
  mediaUrls: string[] | null;
  platformOptions: Record<string, unknown>;
  threadPosition: number | null;
  inReplyTo: string | null;
  firstComment: string | null;
}

export interface CheckedTargets {
  findings: Finding[];
  accounts: ReadonlyMap<string, SocialAccountRow>;
  /** Empty where a finding is a fault. */
  targets: PlannedTarget[];
}

/** Throws all faults together. */
export async function planTargets(
  context: Context,
  caller: Caller,
  input: TargetInput,
): Promise<PlannedTarget[]> {
  const { findings, targets } = await checkTargets(context, caller, input, new Date());
  const refusal = toRefusal(findings);
  if (refusal) throw refusal;
  return targets;
}

/** An unknown account and one that the caller may not see are the same fault. */
export async function checkTargets(
  context: Context,
  caller: Caller,
  input: TargetInput,
  publishAt: Date,
): Promise<CheckedTargets> {
  const { named, issues } = nameTargets(input, context.config.maxTargets);
  const rows = await listAccountsById(
    context.db,
    caller,
    named.map((target) => target.accountId),
  );
  const accounts = new Map(rows.map((account) => [account.id, account]));
  const findings = [
    ...[...issues, ...checkMediaUrls(input.media_urls, 'media_urls')].map((issue) => fault(issue)),
    ...named.flatMap((target) =>
      checkTarget(context, target, accounts.get(target.accountId), input, publishAt),
    ),
    ...checkThreads(named),
    ...warnOfRepeats(named, input),
  ];
  if (findings.some(isFault)) return { findings, accounts, targets: [] };
  const targets = named.map((target) => plan(context, target, accounts.get(target.accountId)!));
  return {
    findings,
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
  target: NamedTarget,
  account: SocialAccountRow | undefined,
  input: TargetInput,
  publishAt: Date,
): Finding[] {
  const refuse = (issue: Omit<Issue, 'path'>) => [fault({ path: target.path, ...issue }, target)];
  if (!account) return refuse({ code: 'unknown_account', message: 'No account has this id.' });
  if (account.status !== 'active') {
    const message = `The account ${lostAccountWords[account.status]}. Connect it again: ${reconnectCalls}.`;
    return refuse({ code: 'account_not_active', message, actual: account.status });
  }
  const platform = platforms.get(account.platform);
  if (!platform) {
    const message = `This installation does not publish to ${account.platform}.`;
    return refuse({ code: 'platform_not_configured', message });
  }
  const ofAccount = { ...platform, rules: rulesOf(platform, account.traits) };
  return [
    ...checkContent(platforms, ofAccount, target, input).map((issue) => fault(issue, target)),
    ...warnOfAccess(platform, account, target, publishAt),
  ];
}

function plan(
  { platforms }: Context,
  { own, path, index }: NamedTarget,
  account: SocialAccountRow,
): PlannedTarget {
  return {
    index,
    account,
    path,
    caption: own.caption ?? null,
    mediaUrls: own.media_urls ?? null,
    platformOptions: platforms.get(account.platform)!.options.parse(own.platform_options ?? {}),
    threadPosition: own.thread_position ?? null,
    inReplyTo: own.in_reply_to ?? null,
    firstComment: own.first_comment ?? null,
  };
}
