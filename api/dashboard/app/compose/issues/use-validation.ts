// What the API says about the post while it is being written.
import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { toProblem, type Problem } from '../../api/problem.ts';
import { ValidatePost, type PostInput, type Validation } from '../compose-documents.ts';

const typingMs = 400;

export interface Checked {
  validation: Validation | undefined;
  /** The request itself was refused, for example because a value has the wrong form. */
  problem: Problem | undefined;
}

/** Undefined input: there is nothing to check yet. */
export function useValidation(input: PostInput | undefined): Checked {
  const client = useClient();
  const [checked, setChecked] = useState<Checked>({ validation: undefined, problem: undefined });
  const latest = useRef(0);
  const key = input === undefined ? '' : JSON.stringify(input);
  useEffect(() => {
    const own = ++latest.current;
    if (input === undefined) return setChecked({ validation: undefined, problem: undefined });
    const timer = setTimeout(() => void check(input), typingMs);
    async function check(input: PostInput): Promise<void> {
      const { data, error } = await client
        .query(ValidatePost, { input }, { requestPolicy: 'network-only' })
        .toPromise();
      // The post was changed meanwhile.
      if (own !== latest.current) return;
      const problem = error && toProblem(error);
      setChecked({
        validation: data?.validatePost ?? undefined,
        problem: problem?.code === 'unreachable' ? undefined : problem,
      });
    }
    return () => clearTimeout(timer);
    // The key has all of the input.
  }, [client, key]);
  return checked;
}
