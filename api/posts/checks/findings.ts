// What checks find in a post: faults that refuse it, warnings that don't, each with its target.
import { validationError, type AppError, type Issue } from '../../../schema/wire/errors.ts';
import type { PostFinding } from '../../../schema/posts/posts.ts';
import type { NamedTarget } from './named-targets.ts';

export interface Finding {
  issue: Issue;
  severity: PostFinding['severity'];
  /** Null: it is about the post as a whole. */
  target: Pick<NamedTarget, 'index' | 'accountId'> | null;
}

export function fault(issue: Issue, target: Finding['target'] = null): Finding {
  return { issue, severity: 'error', target };
}

export function warning(issue: Issue, target: NamedTarget): Finding {
  return { issue, severity: 'warning', target };
}

export function isFault({ severity }: Finding): boolean {
  return severity === 'error';
}

/** The refusal of a post with faults. Targets that share a field share what is wrong with it. */
export function toRefusal(findings: Finding[]): AppError | undefined {
  const issues = new Map(
    findings.filter(isFault).map(({ issue }) => [`${issue.path} ${issue.message}`, issue]),
  );
  return issues.size === 0 ? undefined : validationError([...issues.values()]);
}
