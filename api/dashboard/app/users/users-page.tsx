// The users of your product who own accounts.
import { useAction } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import type { ResultOf } from '../api/schema.ts';
import { followAccounts } from '../accounts/account-documents.ts';
import { Confirm } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { platformName } from '../components/platform-name.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { useFilters } from '../browser/router.ts';
import { useScope } from '../session/session.ts';
import { EraseUser, UserList } from './user-documents.ts';

type UserData = NonNullable<ResultOf<typeof UserList>['users']>['nodes'][number];

export function UsersPage() {
  const [{ after }] = useFilters();
  const found = useData(UserList, { after: after ?? null }, followAccounts);
  return (
    <Page title="Users">
      <Loaded of={found} pick={({ users }) => users}>
        {({ nodes, pageInfo }) => (
          <>
            {nodes.length === 0 && (
              <Empty title="No user yet">
                <p>
                  Users appear when an account is connected with their ID.{' '}
                  <Link to="/accounts">Connect an account</Link>
                </p>
              </Empty>
            )}
            <ul className="list" aria-label="Users">
              {nodes.map((user) => (
                <UserItem key={user.externalUserId} user={user} reload={found.reload} />
              ))}
            </ul>
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function UserItem({ user, reload }: { user: UserData; reload(): void }) {
  const { run, problem } = useAction();
  const canWrite = useScope('ACCOUNTS_WRITE');
  const { externalUserId: id, externalUserEmail, platforms, reconnectCount } = user;
  async function erase(): Promise<void> {
    if (await run(EraseUser, { id })) reload();
  }
  return (
    <li>
      <div className="row">
        <Link to={`/accounts?user=${encodeURIComponent(id)}`} className="row-title">
          {id}
        </Link>
        {externalUserEmail && <span className="quiet small">{externalUserEmail}</span>}
        {reconnectCount > 0 && (
          <span className="badge badge-bad">{reconnectCount} to connect again</span>
        )}
        <span className="push">
          {canWrite && (
            <Confirm title={`Erase ${id}?`} button="Erase" onConfirm={erase}>
              <p>
                Fanfare disconnects the accounts of this user, and erases what they left behind.
                This can’t be undone.
              </p>
            </Confirm>
          )}
        </span>
      </div>
      <p className="quiet small">
        <Link to={`/posts?user=${encodeURIComponent(id)}`}>Posts</Link> ·{' '}
        {platforms.length === 0
          ? 'No connected account'
          : platforms
              .map(({ platform, accountCount }) => `${platformName(platform)}: ${accountCount}`)
              .join(', ')}
      </p>
      <ProblemNote problem={problem} />
    </li>
  );
}
