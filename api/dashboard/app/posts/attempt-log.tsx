// Every call to the network for a target, read when it is opened.
import { useState } from 'react';
import { useData } from '../api/use-data.ts';
import { Button } from '../components/button.tsx';
import { CodeText } from '../components/code-text.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Status, toWords } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { Attempts } from './attempt-documents.ts';
import { followPost } from './post-detail-documents.ts';

interface AttemptLogProps {
  postId: string;
  resultId: string;
  attempts: number;
  status: string;
}

export function AttemptLog({ postId, resultId, attempts, status }: AttemptLogProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (attempts === 0 && status !== 'PUBLISHING') return null;
  return (
    <>
      <Button look="quiet" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
        {isOpen ? 'Hide the calls' : 'Show the calls to the network'}
      </Button>
      {isOpen && <Log postId={postId} resultId={resultId} />}
    </>
  );
}

function Log({ postId, resultId }: { postId: string; resultId: string }) {
  // Each change of the post may be another call.
  const { data, problem } = useData(Attempts, { id: resultId }, followPost(postId));
  const node = data?.node;
  const log = node?.__typename === 'PostResult' ? node.attemptLog : undefined;
  return (
    <div className="scroll">
      <ProblemNote problem={problem} />
      {log && (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Phase</th>
              <th scope="col">Outcome</th>
              <th scope="col">Began</th>
              <th scope="col">Took</th>
              <th scope="col">Answer</th>
            </tr>
          </thead>
          <tbody>
            {log.nodes.map((attempt) => (
              <tr key={`${attempt.run} ${attempt.number}`}>
                <td>{toWords(attempt.phase)}</td>
                <td>
                  <Status value={attempt.outcome} />
                </td>
                <td>
                  <Time at={attempt.startedAt} />
                </td>
                <td>{attempt.durationMs === null ? '' : `${attempt.durationMs} ms`}</td>
                <td>
                  <CodeText text={attempt.errorMessage ?? ''} />
                  {attempt.providerError !== null && (
                    <pre>{JSON.stringify(attempt.providerError, null, 2)}</pre>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {log?.pageInfo.hasNextPage && <p className="quiet">Only the first 50 calls are shown.</p>}
    </div>
  );
}
