// What needs someone, and what comes next.
import { graphql } from '../api/schema.ts';
import { AccountRow } from '../accounts/account-documents.ts';
import { PostRow } from '../posts/post-documents.ts';
import { WebhookRow } from '../webhooks/webhook-documents.ts';

export const FailedPosts = graphql(
  `
    query FailedPosts($from: DateTime!) {
      posts(first: 10, statuses: [FAILED, PARTIAL], createdFrom: $from) {
        nodes {
          ...PostRow
        }
        pageInfo {
          hasNextPage
        }
      }
    }
  `,
  [PostRow],
);

export const OverduePosts = graphql(
  `
    query OverduePosts($to: DateTime!) {
      posts(first: 10, statuses: [SCHEDULED], scheduledTo: $to, orderBy: SCHEDULED_AT_ASC) {
        nodes {
          ...PostRow
        }
      }
    }
  `,
  [PostRow],
);

export const NextPosts = graphql(
  `
    query NextPosts($from: DateTime!) {
      posts(first: 8, statuses: [SCHEDULED], scheduledFrom: $from, orderBy: SCHEDULED_AT_ASC) {
        nodes {
          ...PostRow
        }
      }
    }
  `,
  [PostRow],
);

export const TroubledAccounts = graphql(
  `
    query TroubledAccounts {
      lost: accounts(first: 10, status: RECONNECT_REQUIRED) {
        nodes {
          ...AccountRow
        }
      }
      expiring: accounts(first: 10, status: EXPIRING) {
        nodes {
          ...AccountRow
        }
      }
      any: accounts(first: 1) {
        nodes {
          id
        }
      }
    }
  `,
  [AccountRow],
);

export const AllWebhooks = graphql(
  `
    query AllWebhooks {
      webhooks(first: 100) {
        nodes {
          ...WebhookRow
        }
      }
    }
  `,
  [WebhookRow],
);
