// What needs someone, each with the one thing to do next.
import { useState, type ReactNode } from 'react';
import { now } from '../api/clock.ts';
import type { ResultOf, StatusValue } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { followAccounts } from '../accounts/account-documents.ts';
import { accountTitle } from '../components/account-title.ts';
import { CodeText } from '../components/code-text.tsx';
import { dayMs } from '../browser/days.ts';
import { Link } from '../components/link.tsx';
import { Loading } from '../components/loaded.tsx';
import { platformName } from '../components/platform-name.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { Status } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { visibleProblem } from '../api/visible-problem.ts';
import { nextActionText } from '../posts/next-action.ts';
import { followPosts, type PostRowData } from '../posts/post-documents.ts';
import { titleOf } from '../posts/post-item.tsx';
import { useScope } from '../session/session.ts';
import { followWebhooks } from '../webhooks/webhook-documents.ts';
import { AllWebhooks, FailedPosts, OverduePosts, TroubledAccounts } from './home-documents.ts';

/** Older failures are history. */
const recentMs = 14 * dayMs;
/** Publishing begins within seconds, unless something holds it up. */
const lateMs = 2 * 60_000;

export function Needs() {
  const [times] = useState(() => ({
    from: new Date(now() - recentMs).toISOString(),
    to: new Date(now() - lateMs).toISOString(),
  }));
  const ofPosts = { isPaused: !useScope('POSTS_READ') };
  const ofAccounts = { isPaused: !useScope('ACCOUNTS_READ') };
  const ofWebhooks = { isPaused: !useScope('WEBHOOKS_READ') };
  const failed = useData(FailedPosts, { from: times.from }, followPosts, ofPosts);
  const overdue = useData(OverduePosts, { to: times.to }, followPosts, ofPosts);
  const accounts = useData(TroubledAccounts, {}, followAccounts, ofAccounts);
  const webhooks = useData(AllWebhooks, {}, followWebhooks, ofWebhooks);

  const posts = [...overduePosts(overdue.data), ...failedPosts(failed.data)];
  const troubledAccounts = accountsOf(accounts.data);
  const troubledWebhooks = webhooksOf(webhooks.data);
  const isEmpty = posts.length + troubledAccounts.length + troubledWebhooks.length === 0;
  const read = [
    ...(ofPosts.isPaused ? [] : [failed, overdue]),
    ...(ofAccounts.isPaused ? [] : [accounts]),
    ...(ofWebhooks.isPaused ? [] : [webhooks]),
  ];
  const problem = visibleProblem(read.find((one) => one.problem)?.problem);
  const isComplete = read.every(({ data }) => data !== undefined);
  return (
    <div className="needs">
      <ProblemNote problem={problem} />
      <ul className="list" aria-label="Posts that need you">
        {posts}
      </ul>
      <ul className="list" aria-label="Accounts that need you">
        {troubledAccounts}
      </ul>
      <ul className="list" aria-label="Webhooks that need you">
        {troubledWebhooks}
      </ul>
      {!problem && !isComplete && <Loading />}
      {!problem && isComplete && isEmpty && <p className="quiet">Nothing needs you now.</p>}
    </div>
  );
}

function overduePosts(data: ResultOf<typeof OverduePosts> | undefined): ReactNode[] {
  return (data?.posts?.nodes ?? []).map((post) => (
    <Need
      key={`overdue ${post.id}`}
      status="WARNING"
      label="Overdue"
      to={`/posts/${post.id}`}
      title={titleOf(post.caption)}
    >
      It was due <Time at={post.scheduledAt ?? post.createdAt} />. The operator may have paused
      publishing.
    </Need>
  ));
}

function failedPosts(data: ResultOf<typeof FailedPosts> | undefined): ReactNode[] {
  const posts = (data?.posts?.nodes ?? []).map((post) => <FailedPost key={post.id} post={post} />);
  if (!data?.posts?.pageInfo.hasNextPage) return posts;
  return [
    ...posts,
    <li key="more">
      <Link to="/posts?status=FAILED">All failed posts</Link>
    </li>,
  ];
}

function FailedPost({ post }: { post: PostRowData }) {
  const failed = post.results.filter(({ status }) => status === 'FAILED');
  const [first] = failed;
  return (
    <Need status={post.status} to={`/posts/${post.id}`} title={titleOf(post.caption)}>
      {first && (
        <>
          {platformName(first.platform)} {first.accountName}:{' '}
          <CodeText text={first.errorMessage ?? ''} />{' '}
          {failed.length > 1 && `(and ${failed.length - 1} more) `}
          <b>{nextActionText(first.nextAction)}</b>
        </>
      )}
    </Need>
  );
}

function accountsOf(data: ResultOf<typeof TroubledAccounts> | undefined): ReactNode[] {
  if (data?.any?.nodes.length === 0) {
    return [
      <Need
        key="first"
        status="WARNING"
        label="First step"
        to="/accounts"
        title="Connect an account"
      >
        Nothing can be published before an account is connected.
      </Need>,
    ];
  }
  return [...(data?.lost?.nodes ?? []), ...(data?.expiring?.nodes ?? [])].map((account) => (
    <Need
      key={account.id}
      status={account.status === 'ACTIVE' ? 'WARNING' : account.status}
      {...(account.status === 'ACTIVE' ? { label: 'Login expires soon' } : {})}
      to={`/accounts/${account.id}`}
      title={accountTitle(account)}
    >
      <CodeText
        text={account.health?.issues[0]?.message ?? 'Have the user connect the account again.'}
      />
    </Need>
  ));
}

function webhooksOf(data: ResultOf<typeof AllWebhooks> | undefined): ReactNode[] {
  const troubled = (data?.webhooks?.nodes ?? []).filter(
    ({ disabledReason, failingSince }) => disabledReason === 'FAILURES' || failingSince !== null,
  );
  return troubled.map((webhook) => (
    <Need
      key={webhook.id}
      status={webhook.status === 'DISABLED' ? 'DISABLED' : 'WARNING'}
      {...(webhook.status === 'DISABLED' ? {} : { label: 'Failing' })}
      to={`/webhooks/${webhook.id}`}
      title={webhook.name ?? webhook.url}
    >
      {webhook.status === 'DISABLED'
        ? 'It was disabled, because every attempt failed. Repair the receiver, enable the webhook, and replay what it missed.'
        : 'Attempts fail. Look at the answer of the receiver.'}
    </Need>
  ));
}

interface NeedProps {
  status: StatusValue;
  label?: string;
  to: string;
  title: string;
  children: ReactNode;
}

function Need({ status, label, to, title, children }: NeedProps) {
  return (
    <li>
      <div className="row">
        <Status value={status} {...(label === undefined ? {} : { label })} />
        <Link to={to} className="row-title">
          {title}
        </Link>
      </div>
      <p className="small">{children}</p>
    </li>
  );
}
