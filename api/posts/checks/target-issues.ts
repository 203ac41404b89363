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

export function warning(issue: Issue, target: TargetIssue['target'] = null): TargetIssue {
  return { issue, severity: 'warning', target };
}

/** Codes of issues about missing parts of a post. A missing option has the code `required`. */
const lacking: ReadonlySet<string> = new Set([
  'no_targets',
  'account_not_active',
  'caption_required',
  'document_title_required',
  'media_deleted',
  'media_failed',
  'media_required',
]);

/** The issue of a draft, which may lack parts until it is scheduled or published. */
export function ofDraft(found: TargetIssue): TargetIssue {
  const { path, code } = found.issue;
  const isOption = code === 'required' && path.at(-2) === 'platform_options';
  return isOption || lacking.has(code) ? { ...found, severity: 'warning' } : found;
}

export function isError({ severity }: TargetIssue): boolean {
  return severity === 'error';
}

type Accounts = ReadonlyMap<string, Pick<SocialAccountRow, 'platform'>>;

/** Returns the issues as warnings. If any of them are errors, throws one error that lists the errors. */
export function requireWarnings(
  issues: TargetIssue[],
  accounts: Accounts,
  names: Names,
): PostIssue[] {
  if (issues.some(isError)) throw toRefusal(issues.filter(isError), accounts);
  return issues.map((issue) => presentIssue(issue, accounts, names));
}

/** Targets that share a field report the same issue once, without a target. */
function toRefusal(errors: TargetIssue[], accounts: Accounts): AppError {
  const byIssue = Map.groupBy(
    errors,
    ({ issue }) => `${writePath(issue.path)} ${render(issue.message)}`,
  );
  return validationError(
    [...byIssue.values()].map(([first, ...others]) => {
      const { issue, severity, target } = first!;
      const ofPost = { ...presentTarget(others.length === 0 ? target : null, accounts), severity };
      return { ...issue, ofPost };
    }),
  );
}

function presentTarget(target: TargetIssue['target'], accounts: Accounts) {
  return {
    platform_post_index: target?.index ?? null,
    account_id: target?.accountId ?? null,
    platform: (target && accounts.get(target.accountId)?.platform) ?? null,
  };
}

/** The issue as both APIs show it. */
export function presentIssue(
  { issue, severity, target }: TargetIssue,
  accounts: Accounts,
  names: Names,
): PostIssue {
  const path = names.path(issue.path);
  return {
    ...presentTarget(target, accounts),
    path,
    field: path,
    code: issue.code,
    message: render(issue.message, names),
    actual: issue.actual ?? null,
    limit: issue.limit ?? null,
    severity,
  };
}
