// The filters that the list of posts and the calendar share. They are in the address.
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import type { PostStatus } from '../api/schema.ts';
import { SelectField, TextField } from '../parts/field.tsx';
import { platformName } from '../parts/platform-name.ts';
import { useFilters, type Query } from '../parts/router.ts';
import { toWords } from '../parts/status.tsx';
import { useScope } from '../session/session.ts';
import { AccountChoices, FilterChoices } from './post-documents.ts';

const statuses = ['DRAFT', 'SCHEDULED', 'PENDING', 'PUBLISHED', 'PARTIAL', 'FAILED', 'CANCELED'];
const typingMs = 300;
const names = ['status', 'label', 'account', 'user'] as const;

/** The filters of the address as variables of a query. */
export function postVariables({ status, label, account, user }: Query) {
  return {
    statuses: status ? [status as PostStatus] : null,
    labels: label ? [label] : null,
    accountId: account ?? null,
    externalUserId: user ?? null,
  };
}

/** Those of the address that are filters of posts, to add to the address of another page. */
export function postFilters(filters: Query): URLSearchParams {
  const set = names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []));
  return new URLSearchParams(set);
}

export function PostFilterFields() {
  const [filters, change] = useFilters();
  const canReadAccounts = useScope('ACCOUNTS_READ');
  const [labels] = useQuery({ query: FilterChoices });
  const [accounts] = useQuery({ query: AccountChoices, pause: !canReadAccounts });
  const set = (name: string, value: string) => change({ [name]: value, after: '' });
  return (
    <>
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
      <TypedFilter
        label="Your ID of the user"
        value={filters['user'] ?? ''}
        onChange={(user) => set('user', user)}
      />
    </>
  );
}

interface TypedFilterProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

/** Asks only after a pause in typing. */
export function TypedFilter({ label, value, onChange }: TypedFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField
      label={label}
      type="search"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
