// What the API said about a failure, as text.
import type { Problem } from '../api/problem.ts';
import { CodeText } from './code-text.tsx';
import { OuterLink } from './link.tsx';

export function ProblemNote({ problem }: { problem: Problem | undefined }) {
  return (
    <div role="alert">
      {problem && (
        <div className="problem">
          <p>
            <CodeText text={problem.message} />
          </p>
          {problem.issues.length > 0 && (
            <ul>
              {problem.issues.map(({ path, message }) => (
                <li key={`${path} ${message}`}>
                  <code>{path}</code> <CodeText text={message} />
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
