// What pages keep while other pages are open, such as a post that is being written. It ends with the session.
import { createContext, useContext } from 'react';

export interface Kept {
  /** Ends what runs in the background. */
  close(): void;
}

export const KeptContext = createContext<Map<string, Kept>>(new Map());

/** The same value on each visit of the page. */
export function useKept<Value extends Kept>(name: string, create: () => Value): Value {
  const all = useContext(KeptContext);
  const value = (all.get(name) as Value | undefined) ?? create();
  all.set(name, value);
  return value;
}
