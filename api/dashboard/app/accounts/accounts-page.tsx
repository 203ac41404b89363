// The list of connected accounts.
import { useData } from '../api/use-data.ts';
import type { VariablesOf } from '../api/schema.ts';
import { accountTitle } from '../components/account-title.ts';
import { CodeText } from '../components/code-text.tsx';
import { Empty } from '../components/empty.tsx';
import { SelectField, TypedFilter } from '../components/field.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { useFilters } from '../browser/router.ts';
import { Time } from '../components/time.tsx';
import { useScope } from '../session/session.ts';
import { AccountList, followAccounts, type AccountData } from './account-documents.ts';
import { AccountStatus } from './account-status.tsx';
import { ConnectDialog } from './connect-dialog.tsx';

type Variables = VariablesOf<typeof AccountList>;

export function AccountsPage() {
  const [{ after, status, user }, change] = useFilters();
  const canWrite = useScope('ACCOUNTS_WRITE');
  const found = useData(
    AccountList,
    {
      after: after ?? null,
      status: (status ?? null) as NonNullable<Variables['status']> | null,
      user: user ?? null,
    },
    followAccounts,
  );
  return (
    <Page title="Accounts" actions={canWrite && <ConnectDialog />}>
      <div className="filters">
        <SelectField
          label="Status"
          value={status ?? ''}
          onChange={(event) => change({ status: event.target.value, after: '' })}
          options={[
            ['', 'All'],
            ['ACTIVE', 'Active'],
            ['EXPIRING', 'Login expires soon'],
            ['RECONNECT_REQUIRED', 'Reconnect required'],
            ['DISCONNECTED', 'Disconnected'],
          ]}
        />
        <TypedFilter
          label="User ID"
          value={user ?? ''}
          onChange={(typed) => change({ user: typed, after: '' }, { isReplacing: true })}
        />
      </div>
      <Loaded of={found} pick={({ accounts }) => accounts}>
        {({ nodes, pageInfo }) => (
          <>
            {nodes.length === 0 && (
              <Empty
                title={
                  status || user
                    ? 'No account matches these filters'
                    : 'No account is connected yet'
                }
              >
                {!status && !user && (
                  <p>Create a link, and send it to the person who owns the account.</p>
                )}
              </Empty>
            )}
            <ul className="list" aria-label="Accounts">
              {nodes.map((account) => (
                <AccountItem key={account.id} account={account} />
              ))}
            </ul>
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function AccountItem({ account }: { account: AccountData }) {
  const { health, usage } = account;
  return (
    <li>
      <div className="row">
        <AccountStatus account={account} />
        <Link to={`/accounts/${account.id}`} className="row-title">
          {accountTitle(account)}
        </Link>
        <span className="push quiet small">
          {health?.lastSuccessfulPostAt && (
            <>
              Last post <Time at={health.lastSuccessfulPostAt} />
            </>
          )}
        </span>
      </div>
      {health?.issues.map(({ code, message }) => (
        <p key={code} className="small">
          <CodeText text={message} />
        </p>
      ))}
      {usage?.limit && (
        <p className="quiet small">
          {usage.published} of {usage.limit} posts in {usage.month}
        </p>
      )}
    </li>
  );
}
