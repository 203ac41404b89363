// What test events carry: a sample of each kind, in the shape of the real ones.
import type { AccountEventData, QuotaEventData } from '../../schema/accounts.ts';
import type { EventType } from '../../schema/events.ts';
import type { PostEventData, PostEventResult } from '../../schema/posts/posts.ts';

// Every id ends in `_test`, so that none is taken for a real one.
const account: AccountEventData = {
  social_account_id: 'sa_test',
  platform: 'bluesky',
  account_name: 'ada.example.com',
  external_user_id: 'user_test',
  connection_type: 'managed',
};

const published: PostEventResult = {
  id: 'res_1_test',
  social_account_id: account.social_account_id,
  platform: account.platform,
  account_name: account.account_name,
  status: 'published',
  external_id: 'external_test',
  url: 'https://example.com/posts/external_test',
  published_at: '2026-01-31T12:00:01.250Z',
  error_code: null,
  error_message: null,
};

const failed: PostEventResult = {
  ...published,
  id: 'res_2_test',
  social_account_id: 'sa_2_test',
  account_name: 'grace.example.com',
  status: 'failed',
  external_id: null,
  url: null,
  published_at: null,
  error_code: 'rejected',
  error_message: 'This is a test event: no network has refused anything.',
};

const post: PostEventData = {
  id: 'post_test',
  caption: 'A test event. Nothing was posted.',
  status: 'published',
  created_at: '2026-01-31T12:00:00.000Z',
  scheduled_at: null,
  published_at: published.published_at,
  metadata: {},
  results: [published],
};

const quota: QuotaEventData = { ...account, month: '2026-01', published: 800, limit: 1_000 };

export const sampleEvents: Record<EventType, PostEventData | AccountEventData | QuotaEventData> = {
  'post.published': post,
  'post.failed': { ...post, status: 'failed', published_at: null, results: [failed] },
  'post.partial': { ...post, status: 'partial', results: [published, failed] },
  'account.connected': account,
  'account.disconnected': { ...account, reason: 'token_expired' },
  'post.scheduled': {
    ...post,
    status: 'scheduled',
    scheduled_at: '2026-02-01T12:00:00.000Z',
    published_at: null,
    results: [
      { ...published, status: 'pending', external_id: null, url: null, published_at: null },
    ],
  },
  'account.refreshed': account,
  'account.quota_warning': quota,
  'account.quota_exceeded': { ...quota, published: quota.limit },
};
