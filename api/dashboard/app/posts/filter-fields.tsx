// The filters that the list of posts and the calendar share. They are in the address.
import { useQuery } from 'urql';
import type { PostStatus } from '../api/schema.ts';
import { accountTitle } from '../components/account-title.ts';
import { SelectField, TypedFilter } from '../components/field.tsx';
import { useFilters, type Query } from '../browser/router.ts';
import { toWords } from '../components/status.tsx';
import { useScope } from '../session/session.ts';
import { AccountChoices, FilterChoices } from './post-documents.ts';

const statuses: readonly PostStatus[] = [
  'DRAFT',
  'SCHEDULED',
  'PENDING',
  'PUBLISHED',
  'PARTIAL',
  'FAILED',
  'CANCELED',
];
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
              (account) => [account.id, accountTitle(account)] as const,
            ),
          ]}
        />
      )}
      <TypedFilter
        label="User ID"
        value={filters['user'] ?? ''}
        onChange={(user) => change({ user, after: '' }, { isReplacing: true })}
      />
    </>
  );
}
