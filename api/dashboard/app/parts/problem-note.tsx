// What the API said about a failure, as text.
import type { Problem } from '../api/problem.ts';
import { OuterLink } from './link.tsx';

export function ProblemNote({ problem }: { problem: Problem | undefined }) {
  return (
    <div role="alert">
      {problem && (
        <div className="problem">
          <p>{problem.message}</p>
          {problem.issues.length > 0 && (
            <ul>
              {problem.issues.map(({ path, message }) => (
                <li key={`${path} ${message}`}>
                  <code>{path}</code> {message}
                </li>
              ))}
            </ul>
          )}
          {problem.hint && <p>{problem.hint}</p>}
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
