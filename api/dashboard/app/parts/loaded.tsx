// What is shown while data is read, and after it could not be read.
import type { ReactNode } from 'react';
import type { Data } from '../api/use-data.ts';
import { ProblemNote } from './problem-note.tsx';

interface LoadedProps<Result, Value> {
  of: Data<Result>;
  /** Null: there is no such thing. */
  pick: (data: Result) => Value | null | undefined;
  missing?: string;
  children: (value: Value) => ReactNode;
}

export function Loaded<Result, Value>({ of, pick, missing, children }: LoadedProps<Result, Value>) {
  const value = of.data === undefined ? undefined : pick(of.data);
  return (
    <>
      {/* While the server is gone, the banner says so. */}
      <ProblemNote problem={of.problem?.code === 'unreachable' ? undefined : of.problem} />
      {value !== undefined && value !== null && children(value)}
      {value === undefined && of.data === undefined && !of.problem && (
        <p className="quiet" role="status">
          Loading…
        </p>
      )}
      {of.data !== undefined && (value === null || value === undefined) && !of.problem && (
        <p>{missing ?? 'There is nothing here, or it was deleted.'}</p>
      )}
    </>
  );
}
