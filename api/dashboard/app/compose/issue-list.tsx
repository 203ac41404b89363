// What is wrong with the post, as the API says it.
import { CodeText } from '../components/code-text.tsx';
import type { Issue } from './compose-documents.ts';

interface IssueListProps {
  issues: readonly Issue[];
  warnings: readonly Issue[];
}

export function IssueList({ issues, warnings }: IssueListProps) {
  return (
    <>
      {issues.length > 0 && (
        <ul className="problem issues">
          {issues.map((issue) => (
            <IssueItem key={`${issue.path} ${issue.code}`} issue={issue} />
          ))}
        </ul>
      )}
      {warnings.length > 0 && (
        <ul className="banner issues">
          {warnings.map((issue) => (
            <IssueItem key={`${issue.path} ${issue.code}`} issue={issue} />
          ))}
        </ul>
      )}
    </>
  );
}

function IssueItem({ issue: { path, message } }: { issue: Issue }) {
  // Messages of networks are whole sentences, the others continue the path.
  const isSentence = /^[A-Z]/.test(message);
  return (
    <li>
      {!isSentence && <code>{path.replace(/^input\./, '')}</code>} <CodeText text={message} />
    </li>
  );
}
