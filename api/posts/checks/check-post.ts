// Everything that is checked of a post before it is written: for creating it, and for validating it.
import { monthOf } from '../../../schema/database/accounts/usage.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import type { CreatePost, PostFinding, PostVerdict } from '../../../schema/posts/posts.ts';
import type { Caller, Context } from '../../server/context.ts';
import { foreseeExcess } from '../count-usage.ts';
import { fault, toRefusal, type Finding } from './findings.ts';
import { checkSchedule, toSchedule } from './schedule.ts';
import { checkTargets, type CheckedTargets, type PlannedTarget } from './targets.ts';
import type { PlannedPost } from '../write-post.ts';

/** Throws all faults together. */
export async function planPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
): Promise<PlannedPost> {
  const { findings, targets } = await checkPost(context, caller, input);
  const refusal = toRefusal(findings);
  if (refusal) throw refusal;
  const { caption, metadata, media_urls: mediaUrls } = input;
  const scheduledAt = toSchedule(input);
  const status = input.status ?? (scheduledAt ? 'scheduled' : 'pending');
  return { caption, mediaUrls, metadata, status, scheduledAt, targets };
}

/** What creating this post would say, without creating it. */
export async function validatePost(
  context: Context,
  caller: Caller,
  input: CreatePost,
): Promise<PostVerdict> {
  const { findings, accounts, targets } = await checkPost(context, caller, input);
  const excess = await checkUsage(context, caller, input, targets);
  const shown = [...findings, ...excess].map((finding) => present(finding, accounts));
  const errors = shown.filter(({ severity }) => severity === 'error');
  const warnings = shown.filter(({ severity }) => severity === 'warning');
  return { valid: errors.length === 0, errors, warnings };
}

/** Creation counts instead, in its transaction: two posts at once must not both be the last one. */
async function checkUsage(
  context: Context,
  caller: Caller,
  input: CreatePost,
  targets: PlannedTarget[],
): Promise<Finding[]> {
  if (input.status === 'draft' || targets.length === 0) return [];
  const month = monthOf(toSchedule(input) ?? new Date());
  const issues = await foreseeExcess(context, caller, targets, month);
  return issues.map((issue) => {
    const { index, account } = targets.find(({ path }) => path === issue.path)!;
    return fault(issue, { index, accountId: account.id });
  });
}

async function checkPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
): Promise<CheckedTargets> {
  const publishAt = toSchedule(input) ?? new Date();
  const checked = await checkTargets(context, caller, input, publishAt);
  const schedule = checkSchedule(context.config, input).map((issue) => fault(issue));
  return { ...checked, findings: [...schedule, ...checked.findings] };
}

function present(
  { issue, severity, target }: Finding,
  accounts: ReadonlyMap<string, SocialAccountRow>,
): PostFinding {
  return {
    platform_post_index: target?.index ?? null,
    account_id: target?.accountId ?? null,
    platform: (target && accounts.get(target.accountId)?.platform) ?? null,
    field: issue.path,
    code: issue.code,
    message: issue.message,
    actual: issue.actual ?? null,
    limit: issue.limit ?? null,
    severity,
  };
}
