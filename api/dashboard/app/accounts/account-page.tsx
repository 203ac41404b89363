// One account: whether it can publish, its login, and checks of it.
import { useAction } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import type { ResultOf } from '../api/schema.ts';
import { accountTitle } from '../components/account-title.ts';
import { CodeText } from '../components/code-text.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page, type PageProps } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { toWords } from '../components/status.tsx';
import { exactTime, Time } from '../components/time.tsx';
import { useScope } from '../session/session.ts';
import { DisconnectAccount, followAccounts, OneAccount } from './account-documents.ts';
import { AccountStatus } from './account-status.tsx';
import { CheckAccount } from './check-account.tsx';
import { ConnectDialog } from './connect-dialog.tsx';

type Found = NonNullable<ResultOf<typeof OneAccount>['account']>;

export function AccountPage({ id }: PageProps) {
  const found = useData(OneAccount, { id }, followAccounts);
  const account = found.data?.account;
  const title = account ? accountTitle(account) : 'Account';
  return (
    <Page title={title}>
      <Loaded of={found} pick={(data) => data.account} missing="The account was erased.">
        {(one) => (
          <>
            <Tools account={one} reload={found.reload} />
            {one.health?.issues.map(({ code, message }) => (
              <p key={code} className="problem">
                <CodeText text={message} />
              </p>
            ))}
            <Facts account={one} />
            <CheckAccount accountId={one.id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Tools({ account, reload }: { account: Found; reload(): void }) {
  const { run, problem } = useAction();
  const canWrite = useScope('ACCOUNTS_WRITE');
  if (!canWrite) return null;
  async function disconnect(): Promise<void> {
    if (await run(DisconnectAccount, { id: account.id })) reload();
  }
  return (
    <>
      <div className="actions">
        <ConnectDialog accountId={account.id} />
        {account.status !== 'DISCONNECTED' && (
          <Confirm title="Disconnect this account?" button="Disconnect" onConfirm={disconnect}>
            <p>Fanfare deletes its login. Its scheduled posts will fail.</p>
          </Confirm>
        )}
      </div>
      <ProblemNote problem={problem} />
    </>
  );
}

function Facts({ account }: { account: Found }) {
  const { usage, health } = account;
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        <AccountStatus account={account} />
      </dd>
      <dt>Account name</dt>
      <dd>{account.accountName}</dd>
      <dt>Connected</dt>
      <dd>
        <Time at={account.connectedAt} />
      </dd>
      <dt>Login expires</dt>
      <dd>{account.tokenExpiresAt ? exactTime(account.tokenExpiresAt) : 'Unknown'}</dd>
      {health?.lastSuccessfulPostAt && (
        <>
          <dt>Last post</dt>
          <dd>
            <Time at={health.lastSuccessfulPostAt} />
          </dd>
        </>
      )}
      {usage && (
        <>
          <dt>Posts in {usage.month}</dt>
          <dd>
            {usage.published}
            {usage.limit !== null && ` of ${usage.limit}`}
          </dd>
        </>
      )}
      {account.externalUserId && (
        <>
          <dt>User ID</dt>
          <dd>{account.externalUserId}</dd>
        </>
      )}
      <dt>Login</dt>
      <dd>
        {toWords(account.connectionType)}
        {account.scope.length > 0 && `: ${account.scope.join(', ')}`}
      </dd>
      <dt>ID</dt>
      <dd>
        <code>{account.id}</code>
      </dd>
      <dt>Posts</dt>
      <dd>
        <Link to={`/posts?account=${account.id}`}>Show its posts</Link>
      </dd>
    </dl>
  );
}
