// From the two forms in which a request names its targets to the targets themselves, checked.
import { AppError, validationError, type Issue } from '../../schema/errors.ts';
import type { CreatePost } from '../../schema/posts.ts';
import type { SocialAccountRow } from '../../schema/database/database.ts';
import { checkText } from '../../activities/platforms/text-rules.ts';
import type { Caller, Context } from '../context.ts';
import { bodyOptions, toIssues } from '../validation.ts';

export interface PlannedTarget {
  account: SocialAccountRow;
  caption: string | null;
  platformOptions: Record<string, unknown>;
}

interface NamedTarget {
  accountId: string;
  /** Where the request names the account. */
  path: string;
  /** Where the request has the target's other fields. */
  at: string;
  caption: string | null;
  platformOptions: Record<string, unknown> | undefined;
}

/** Throws all faults together; an unknown account and another project's are the same fault. */
export async function planTargets(
  context: Context,
  caller: Caller,
  input: CreatePost,
): Promise<PlannedTarget[]> {
  const named = nameTargets(input, context.config.maxTargets);
  const accounts = await context.db
    .selectFrom('social_accounts')
    .selectAll()
    .where('project_id', '=', caller.projectId)
    .where(
      'id',
      'in',
      named.map((target) => target.accountId),
    )
    .execute();
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const issues: Issue[] = [];
  const seen = new Set<string>();
  const targets = named.flatMap((target) => {
    const account = byId.get(target.accountId);
    const faults = account
      ? targetFaults(context, target, account, input, seen.has(target.accountId))
      : [{ path: target.path, code: 'unknown_account', message: 'No account has this id.' }];
    seen.add(target.accountId);
    issues.push(...faults);
    return account && faults.length === 0 ? [plan(context, target, account)] : [];
  });
  if (issues.length > 0) throw validationError(issues);
  const foreign =
    caller.environment === 'test' && targets.some((t) => t.account.platform !== 'sandbox');
  if (foreign) {
    throw new AppError('insufficient_scope', 'A test key reaches only sandbox accounts.');
  }
  return targets;
}

function nameTargets(input: CreatePost, maxTargets: number): NamedTarget[] {
  const { account_ids, platform_posts } = input;
  if (account_ids && platform_posts) {
    throw fault(
      'platform_posts',
      'both_target_forms',
      'Give account_ids or platform_posts, not both.',
    );
  }
  const form = platform_posts ? 'platform_posts' : 'account_ids';
  const named: NamedTarget[] = platform_posts
    ? platform_posts.map((target, i) => ({
        accountId: target.account_id,
        path: `platform_posts[${i}].account_id`,
        at: `platform_posts[${i}].`,
        caption: target.caption ?? null,
        platformOptions: target.platform_options,
      }))
    : (account_ids ?? []).map((accountId, i) => ({
        accountId,
        path: `account_ids[${i}]`,
        at: '',
        caption: null,
        platformOptions: undefined,
      }));
  if (named.length === 0) throw fault(form, 'no_targets', 'Name at least one account.');
  if (named.length > maxTargets) {
    throw validationError([
      {
        path: form,
        code: 'too_many_targets',
        message: `Name at most ${maxTargets} accounts.`,
        actual: named.length,
        limit: maxTargets,
      },
    ]);
  }
  return named;
}

function targetFaults(
  context: Context,
  target: NamedTarget,
  account: SocialAccountRow,
  input: CreatePost,
  isRepeated: boolean,
): Issue[] {
  if (isRepeated) {
    return [
      { path: target.path, code: 'duplicate_account', message: 'The account is named twice.' },
    ];
  }
  if (account.status !== 'active') {
    const message = `The account is ${account.status}. Connect it again.`;
    return [{ path: target.path, code: 'account_not_active', message, actual: account.status }];
  }
  const platform = context.platforms.get(account.platform);
  if (!platform) {
    const message = `This installation does not publish to ${account.platform}.`;
    return [{ path: target.path, code: 'platform_not_configured', message }];
  }
  const options = platform.options.safeParse(target.platformOptions ?? {}, { reportInput: true });
  const optionIssues = (options.error?.issues ?? [])
    .flatMap((issue) => toIssues(issue, bodyOptions, ['platform_options']))
    .map((fault) => ({ ...fault, path: `${target.at}${fault.path}` }));
  const caption = target.caption ?? input.caption;
  const captionPath = target.caption === null ? 'caption' : `${target.at}caption`;
  return [...optionIssues, ...checkText(platform, caption, captionPath)];
}

function plan(context: Context, target: NamedTarget, account: SocialAccountRow): PlannedTarget {
  const { options } = context.platforms.get(account.platform)!;
  return {
    account,
    caption: target.caption,
    platformOptions: options.parse(target.platformOptions ?? {}),
  };
}

function fault(path: string, code: string, message: string): AppError {
  return validationError([{ path, code, message }]);
}
