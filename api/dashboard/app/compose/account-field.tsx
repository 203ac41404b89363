// The accounts to publish to.
import { useState } from 'react';
import { accountTitle } from '../components/account-title.ts';
import { CheckField, TextField } from '../components/field.tsx';
import { GroupIssues } from '../components/form-issues.tsx';
import type { AccountChoice } from './compose-documents.ts';

interface AccountFieldProps {
  accounts: readonly AccountChoice[];
  chosen: ReadonlySet<string>;
  onChange(id: string, isChosen: boolean): void;
}

const searchable = 12;

export function AccountField({ accounts, chosen, onChange }: AccountFieldProps) {
  const [q, setQ] = useState('');
  const words = q.toLowerCase();
  const shown = accounts.filter((account) => accountTitle(account).toLowerCase().includes(words));
  return (
    <fieldset>
      <legend>Accounts</legend>
      <GroupIssues at="accounts" label="Accounts" />
      {accounts.length > searchable && (
        <TextField
          label="Find an account"
          type="search"
          value={q}
          onChange={({ target }) => setQ(target.value)}
        />
      )}
      <div className="account-choices">
        {shown.map((account) => (
          <CheckField
            key={account.id}
            label={accountTitle(account)}
            checked={chosen.has(account.id)}
            onChange={({ target }) => onChange(account.id, target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
