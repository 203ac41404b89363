// What needs someone, each with the one thing to do next.
import { useState, type ReactNode } from 'react';
import { now } from '../api/clock.ts';
import { useData } from '../api/use-data.ts';
import { followAccounts, type AccountData } from '../accounts/account-documents.ts';
import { CodeText } from '../parts/code-text.tsx';
import { Link } from '../parts/link.tsx';
import { platformName } from '../parts/platform-name.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { nextActionText } from '../posts/next-action.ts';
import { followPosts, type PostRowData } from '../posts/post-documents.ts';
import { titleOf } from '../posts/post-item.tsx';
import { followWebhooks } from '../webhooks/webhook-documents.ts';
import { AllWebhooks, FailedPosts, OverduePosts, TroubledAccounts } from './home-documents.ts';

/** Older failures are history. */
const recentMs = 14 * 86_400_000;
/** Publishing begins within seconds, unless something holds it up. */
const lateMs = 2 * 60_000;

export function PostNeeds() {
  const [times] = useState(() => ({
    from: new Date(now() - recentMs).toISOString(),
    to: new Date(now() - lateMs).toISOString(),
  }));
  const failed = useData(FailedPosts, { from: times.from }, followPosts);
  const overdue = useData(OverduePosts, { to: times.to }, followPosts);
  return (
    <ul className="list" aria-label="Posts that need you">
      {overdue.data?.posts?.nodes.map((post) => (
        <Need
          key={post.id}
          status="WARNING"
          label="Overdue"
          to={`/posts/${post.id}`}
          title={titleOf(post.caption)}
        >
          It was due <Time at={post.scheduledAt ?? post.createdAt} />. The operator may have paused
          publishing.
        </Need>
      ))}
      {failed.data?.posts?.nodes.map((post) => (
        <FailedPost key={post.id} post={post} />
      ))}
      {failed.data?.posts?.pageInfo.hasNextPage && (
        <li>
          <Link to="/posts?status=FAILED">All failed posts</Link>
        </li>
      )}
    </ul>
  );
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

export function AccountNeeds() {
  const { data } = useData(TroubledAccounts, {}, followAccounts);
  const isEmpty = data?.any?.nodes.length === 0;
  const troubled: readonly AccountData[] = [
    ...(data?.lost?.nodes ?? []),
    ...(data?.expiring?.nodes ?? []),
  ];
  return (
    <ul className="list" aria-label="Accounts that need you">
      {isEmpty && (
        <Need status="WARNING" label="First step" to="/accounts" title="Connect an account">
          Nothing can be published before an account is connected.
        </Need>
      )}
      {troubled.map((account) => (
        <Need
          key={account.id}
          status={account.status === 'ACTIVE' ? 'WARNING' : account.status}
          {...(account.status === 'ACTIVE' ? { label: 'Login ends soon' } : {})}
          to={`/accounts/${account.id}`}
          title={`${platformName(account.platform)} ${account.displayName ?? account.accountName}`}
        >
          <CodeText
            text={account.health?.issues[0]?.message ?? 'Have the user connect the account again.'}
          />
        </Need>
      ))}
    </ul>
  );
}

export function WebhookNeeds() {
  const { data } = useData(AllWebhooks, {}, followWebhooks);
  const troubled = (data?.webhooks?.nodes ?? []).filter(
    ({ disabledReason, failingSince }) => disabledReason === 'FAILURES' || failingSince !== null,
  );
  return (
    <ul className="list" aria-label="Webhooks that need you">
      {troubled.map((webhook) => (
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
      ))}
    </ul>
  );
}

interface NeedProps {
  status: string;
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
