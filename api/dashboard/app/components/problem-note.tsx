// What the API said about a failure, as text. In a form, issues stand at their fields instead.
import type { Problem } from '../api/problem.ts';
import { CodeText } from './code-text.tsx';
import { useOtherIssues } from './form-issues.tsx';
import { issueTexts, placeNameOf, toFormIssue } from './issue-text.ts';
import { OuterLink } from './link.tsx';

export function ProblemNote({ problem }: { problem: Problem | undefined }) {
  const others = useOtherIssues();
  const all = problem?.issues.map(toFormIssue) ?? [];
  const shown = others ? all.filter((one) => others.some(({ at }) => at === one.at)) : all;
  // The message of a request that is not valid only repeats its first issue.
  const isInvalid = problem?.code === 'validation_error' && all.length > 0;
  return (
    <div role="alert">
      {problem && (
        <div className="problem">
          {!isInvalid && (
            <p>
              <CodeText text={problem.message} />
            </p>
          )}
          {shown.length < all.length && <p>Check the fields that are marked.</p>}
          {shown.length > 0 && (
            <ul>
              {issueTexts(shown, placeNameOf).map((text) => (
                <li key={text}>
                  <CodeText text={text} />
                </li>
              ))}
            </ul>
          )}
          {problem.hint && (
            <p>
              <CodeText text={problem.hint} />
            </p>
          )}
          {problem.docsUrl && (
            <p>
              <OuterLink href={problem.docsUrl}>What this means</OuterLink>
            </p>
          )}
        </div>
      )}
    </div>
  );
}
