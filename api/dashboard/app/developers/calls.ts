// The main request of each page.
import { AccountList } from '../accounts/account-documents.ts';
import { CalendarPosts } from '../calendar/calendar-documents.ts';
import { CreatePost, ValidatePost } from '../compose/compose-documents.ts';
import { FailedPosts } from '../home/home-documents.ts';
import { MediaList } from '../media/media-documents.ts';
import { OnePost } from '../posts/post-detail-documents.ts';
import { PostList } from '../posts/post-documents.ts';
import { QueueList } from '../queues/queue-documents.ts';
import { CurrentProject } from '../settings/settings-documents.ts';
import { UserList } from '../users/user-documents.ts';
import { OneDelivery, OneWebhook, WebhookList } from '../webhooks/webhook-documents.ts';

interface Call {
  page: string;
  query: unknown;
  variables: Record<string, unknown>;
}

const input = { caption: 'Hello', accountIds: ['sa_ID'] };

export const calls: readonly Call[] = [
  { page: 'Home', query: FailedPosts, variables: { from: '2026-01-01T00:00:00Z' } },
  { page: 'New post: check', query: ValidatePost, variables: { input } },
  { page: 'New post', query: CreatePost, variables: { input } },
  { page: 'Posts', query: PostList, variables: { first: 25 } },
  { page: 'One post', query: OnePost, variables: { id: 'post_ID' } },
  {
    page: 'Calendar',
    query: CalendarPosts,
    variables: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', timezone: 'UTC' },
  },
  { page: 'Queues', query: QueueList, variables: {} },
  { page: 'Media', query: MediaList, variables: {} },
  { page: 'Accounts', query: AccountList, variables: {} },
  { page: 'Users', query: UserList, variables: {} },
  { page: 'Webhooks', query: WebhookList, variables: {} },
  { page: 'One webhook', query: OneWebhook, variables: { id: 'wh_ID' } },
  { page: 'One delivery', query: OneDelivery, variables: { id: 'dlv_ID' } },
  { page: 'Settings', query: CurrentProject, variables: {} },
];
