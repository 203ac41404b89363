// What is wrong with the post, apart from its fields.
import { CodeText } from '../../components/code-text.tsx';
import { useOtherIssues } from '../../components/form-issues.tsx';
import { issueTexts, placeNameOf } from '../../components/issue-text.ts';

export function OtherIssues() {
  const issues = useOtherIssues() ?? [];
  return [false, true].map((isWarning) => {
    const some = issues.filter((issue) => (issue.isWarning ?? false) === isWarning);
    if (some.length === 0) return null;
    return (
      <ul key={String(isWarning)} className={isWarning ? 'banner issues' : 'problem issues'}>
        {issueTexts(some, placeNameOf).map((text) => (
          <li key={text}>
            <CodeText text={text} />
          </li>
        ))}
      </ul>
    );
  });
}
