// The filters of the list of posts. They are in the address.
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { SelectField, TextField } from '../parts/field.tsx';
import { platformName } from '../parts/platform-name.ts';
import { useFilters } from '../parts/router.ts';
import { toWords } from '../parts/status.tsx';
import { useScope } from '../session/session.ts';
import { AccountChoices, FilterChoices } from './post-documents.ts';

const statuses = ['DRAFT', 'SCHEDULED', 'PENDING', 'PUBLISHED', 'PARTIAL', 'FAILED', 'CANCELED'];
const typingMs = 300;

export function PostFilters() {
  const [filters, change] = useFilters();
  const canReadAccounts = useScope('ACCOUNTS_READ');
  const [labels] = useQuery({ query: FilterChoices });
  const [accounts] = useQuery({ query: AccountChoices, pause: !canReadAccounts });
  const set = (name: string, value: string) => change({ [name]: value, after: '' });
  return (
    <form role="search" className="filters" onSubmit={(event) => event.preventDefault()}>
      <Words value={filters['q'] ?? ''} onChange={(q) => set('q', q)} />
      <SelectField
        label="Status"
        value={filters['status'] ?? ''}
        onChange={(event) => set('status', event.target.value)}
        options={[['', 'All'], ...statuses.map((status) => [status, toWords(status)] as const)]}
      />
      <SelectField
        label="Label"
        value={filters['label'] ?? ''}
        onChange={(event) => set('label', event.target.value)}
        options={[
          ['', 'All'],
          ...(labels.data?.labels?.nodes ?? []).map(
            ({ name, postCount }) => [name, `${name} (${postCount})`] as const,
          ),
        ]}
      />
      {canReadAccounts && (
        <SelectField
          label="Account"
          value={filters['account'] ?? ''}
          onChange={(event) => set('account', event.target.value)}
          options={[
            ['', 'All'],
            ...(accounts.data?.accounts?.nodes ?? []).map(
              ({ id, platform, displayName, accountName }) =>
                [id, `${platformName(platform)} ${displayName ?? accountName}`] as const,
            ),
          ]}
        />
      )}
      <TextField
        label="Scheduled on"
        type="date"
        value={filters['scheduled'] ?? ''}
        onChange={(event) => set('scheduled', event.target.value)}
      />
      <TextField
        label="Published on"
        type="date"
        value={filters['published'] ?? ''}
        onChange={(event) => set('published', event.target.value)}
      />
    </form>
  );
}

/** Asks only after a pause in typing. */
function Words({ value, onChange }: { value: string; onChange: (q: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField
      label="Words"
      type="search"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
