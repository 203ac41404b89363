// What needs someone, each with the one thing to do next.
import { useState, type ReactNode } from 'react';
import { now } from '../api/clock.ts';
import type { ResultOf, StatusValue } from '../api/schema.ts';
import { useAction } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import { followAccounts } from '../accounts/account-documents.ts';
import { accountTitle } from '../components/account-title.ts';
import { Button } from '../components/button.tsx';
import { CodeText } from '../components/code-text.tsx';
import { dayMs } from '../browser/days.ts';
import { Link } from '../components/link.tsx';
import { Loading } from '../components/loaded.tsx';
import { platformName } from '../components/platform-name.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { Status } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { visibleProblem } from '../api/visible-problem.ts';
import { RetryResult } from '../posts/post-actions.ts';
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
      action={<Next to={`/posts/${post.id}`}>Open the post</Next>}
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
  const title = titleOf(post.caption);
  return (
    <Need
      status={post.status}
      to={`/posts/${post.id}`}
      title={title}
      action={<Cure post={post} title={title} />}
    >
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

/** What cures a failed post, if that takes one press here, or else where to do it. */
function Cure({ post, title }: { post: PostRowData; title: string }) {
  const { run, problem, isRunning } = useAction();
  const canWrite = useScope('POSTS_WRITE');
  const failed = post.results.filter(({ status }) => status === 'FAILED');
  const [first] = failed;
  if (first?.nextAction === 'RECONNECT_ACCOUNT') {
    return <Next to={`/accounts/${first.socialAccountId}`}>Reconnect</Next>;
  }
  if (first?.nextAction !== 'RETRY' || !canWrite) {
    return <Next to={`/posts/${post.id}`}>Open the post</Next>;
  }
  async function retry(): Promise<void> {
    for (const { id, nextAction } of failed) {
      if (nextAction === 'RETRY') await run(RetryResult, { postId: post.id, resultId: id });
    }
  }
  return (
    <>
      <Button aria-label={`Retry ${title}`} isRunning={isRunning} onPress={() => void retry()}>
        Retry
      </Button>
      <ProblemNote problem={problem} />
    </>
  );
}

function Next({ to, children }: { to: string; children: string }) {
  return (
    <Link to={to} className="button">
      {children}
    </Link>
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
        action={<Next to="/accounts">Go to the accounts</Next>}
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
      action={<Next to={`/accounts/${account.id}`}>Reconnect</Next>}
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
      action={<Next to={`/webhooks/${webhook.id}`}>Open the webhook</Next>}
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
  /** The one thing to do next. */
  action: ReactNode;
  children: ReactNode;
}

function Need({ status, label, to, title, action, children }: NeedProps) {
  return (
    <li>
      <div className="row">
        <Status value={status} {...(label === undefined ? {} : { label })} />
        <Link to={to} className="row-title">
          {title}
        </Link>
        <span className="push">{action}</span>
      </div>
      <p className="small">{children}</p>
    </li>
  );
}
