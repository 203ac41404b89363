// What went wrong with a request, as a page shows it.
import { CombinedError } from '@urql/core';

export interface ProblemIssue {
  path: string;
  code: string;
  message: string;
}

export interface Problem {
  code: string;
  message: string;
  hint?: string;
  docsUrl?: string;
  issues: ProblemIssue[];
}

interface Extensions {
  code?: string;
  hint?: string;
  docsUrl?: string;
  issues?: ProblemIssue[];
}

const unreachable: Problem = {
  code: 'unreachable',
  message: 'The server does not answer. Your change may or may not have been saved.',
  hint: 'Try again when the server is back.',
  issues: [],
};

export function toProblem(error: unknown): Problem {
  if (!(error instanceof CombinedError)) return unreachable;
  const [first] = error.graphQLErrors;
  if (!first) return unreachable;
  const { code = 'error', hint, docsUrl, issues = [] } = first.extensions as Extensions;
  return {
    code,
    message: first.message,
    issues,
    ...(hint === undefined ? {} : { hint }),
    ...(docsUrl === undefined ? {} : { docsUrl }),
  };
}

export function isUnauthorized(error: CombinedError | undefined): boolean {
  return (
    error?.graphQLErrors.some(({ extensions }) => extensions['code'] === 'unauthorized') ?? false
  );
}
