// What is shown while data is read, and after it could not be read.
import type { ReactNode } from 'react';
import type { Data } from '../api/use-data.ts';
import { ProblemNote } from './problem-note.tsx';
import { visibleProblem } from '../api/visible-problem.ts';

interface LoadedProps<Result, Value> {
  of: Data<Result>;
  /** Null: there is no such thing. */
  pick: (data: Result) => Value | null | undefined;
  missing?: string;
  children: (value: Value) => ReactNode;
}

export function Loaded<Result, Value>({ of, pick, missing, children }: LoadedProps<Result, Value>) {
  const problem = visibleProblem(of.problem);
  const value = of.data === undefined ? undefined : pick(of.data);
  return (
    <>
      <ProblemNote problem={problem} />
      {value !== undefined && value !== null && children(value)}
      {value === undefined && of.data === undefined && !problem && <Loading />}
      {of.data !== undefined && (value === null || value === undefined) && !problem && (
        <p>{missing ?? 'There is nothing here, or it was deleted.'}</p>
      )}
    </>
  );
}

export function Loading() {
  return (
    <p className="quiet" role="status">
      Loading…
    </p>
  );
}
