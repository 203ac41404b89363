// An issue that a check finds in a post, with its target. Errors refuse the post, and warnings don't.
import { validationError, type AppError, type Issue } from '../../../schema/wire/errors.ts';
import { render, writePath, type Names } from '../../../schema/wire/names.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import type { PostIssue } from '../../../schema/posts/posts.ts';
import type { RequestTarget } from './request-targets.ts';

export interface TargetIssue {
  issue: Issue;
  severity: PostIssue['severity'];
  /** Null: the issue concerns the whole post. */
  target: Pick<RequestTarget, 'index' | 'accountId'> | null;
}

export function error(issue: Issue, target: TargetIssue['target'] = null): TargetIssue {
  return { issue, severity: 'error', target };
}

export function warning(issue: Issue, target: NonNullable<TargetIssue['target']>): TargetIssue {
  return { issue, severity: 'warning', target };
}

export function isError({ severity }: TargetIssue): boolean {
  return severity === 'error';
}

/** The refusal of a post with errors. Targets that share a field report the same issue once. */
export function toRefusal(issues: TargetIssue[]): AppError | undefined {
  const errors = new Map(
    issues
      .filter(isError)
      .map(({ issue }) => [`${writePath(issue.path)} ${render(issue.message)}`, issue]),
  );
  return errors.size === 0 ? undefined : validationError([...errors.values()]);
}

/** The issue as both APIs show it. */
export function presentIssue(
  { issue, severity, target }: TargetIssue,
  accounts: ReadonlyMap<string, SocialAccountRow>,
  names: Names,
): PostIssue {
  return {
    platform_post_index: target?.index ?? null,
    account_id: target?.accountId ?? null,
    platform: (target && accounts.get(target.accountId)?.platform) ?? null,
    field: names.path(issue.path),
    code: issue.code,
    message: render(issue.message, names),
    actual: issue.actual ?? null,
    limit: issue.limit ?? null,
    severity,
  };
}
