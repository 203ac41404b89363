// The post that is being written, and the functions that change it.
import { useState } from 'react';
import type { AccountDraft, Draft } from './draft.ts';

export interface EditedDraft {
  draft: Draft;
  change(changes: Partial<Draft>): void;
  changeAccount(id: string, own: AccountDraft): void;
  /** Adds an account, or removes it. */
  choose(id: string, isChosen: boolean): void;
}

export function useDraft(initial: Draft): EditedDraft {
  const [draft, setDraft] = useState(initial);
  return {
    draft,
    change: (changes) => setDraft((old) => ({ ...old, ...changes })),
    changeAccount: (id, own) =>
      setDraft((old) => ({ ...old, accounts: { ...old.accounts, [id]: own } })),
    choose: (id, isChosen) =>
      setDraft((old) => {
        const { [id]: own, ...others } = old.accounts;
        return {
          ...old,
          accounts: isChosen ? { ...others, [id]: own ?? { options: {} } } : others,
        };
      }),
  };
}
