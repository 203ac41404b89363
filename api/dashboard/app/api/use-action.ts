// Changes data.
import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { useCallback, useState } from 'react';
import { useClient } from 'urql';
import { toProblem, type Problem } from './problem.ts';

export interface Action {
  /** Returns the result, or undefined after a failure, which is then in `problem`. */
  run<Result, Variables extends AnyVariables>(
    mutation: TypedDocumentNode<Result, Variables>,
    variables: Variables,
  ): Promise<Result | undefined>;
  isRunning: boolean;
  problem: Problem | undefined;
  clear(): void;
}

export function useAction(): Action {
  const client = useClient();
  const [isRunning, setIsRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const run = useCallback<Action['run']>(
    async (mutation, variables) => {
      setIsRunning(true);
      setProblem(undefined);
      const { data, error } = await client.mutation(mutation, variables).toPromise();
      setIsRunning(false);
      if (error) setProblem(toProblem(error));
      return error ? undefined : data;
    },
    [client],
  );
  return { run, isRunning, problem, clear: () => setProblem(undefined) };
}
