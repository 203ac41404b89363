// What the pages about posts read and follow.
import { graphql, type ResultOf } from '../api/schema.ts';
import type { Followed } from '../api/streams.ts';

export const PostRow = graphql(`
  fragment PostRow on Post {
    id
    revision
    status
    caption
    labels
    createdAt
    scheduledAt
    publishedAt
    results {
      id
      status
      platform
      accountName
      socialAccountId
      errorMessage
      nextAction
    }
  }
`);
export type PostRowData = ResultOf<typeof PostRow>;

export const PostList = graphql(
  `
    query PostList(
      $after: String
      $statuses: [PostStatus!]
      $labels: [String!]
      $accountId: ID
      $externalUserId: String
      $q: String
      $scheduledFrom: DateTime
      $scheduledTo: DateTime
      $publishedFrom: DateTime
      $publishedTo: DateTime
      $orderBy: PostOrder
      $first: Int
    ) {
      posts(
        after: $after
        first: $first
        statuses: $statuses
        labels: $labels
        accountId: $accountId
        externalUserId: $externalUserId
        q: $q
        scheduledFrom: $scheduledFrom
        scheduledTo: $scheduledTo
        publishedFrom: $publishedFrom
        publishedTo: $publishedTo
        orderBy: $orderBy
      ) {
        nodes {
          ...PostRow
        }
        pageInfo {
          hasNextPage
          endCursor
        }
        totalCount {
          value
          isCapped
        }
      }
    }
  `,
  [PostRow],
);

const PostChanges = graphql(
  `
    subscription PostChanges($after: String) {
      postUpdated(after: $after) {
        cursor
        change
        postId
        post {
          ...PostRow
        }
      }
    }
  `,
  [PostRow],
);
export const followPosts: readonly Followed[] = [{ document: PostChanges }];

export const FilterChoices = graphql(`
  query FilterChoices {
    labels(first: 100) {
      nodes {
        name
        postCount
      }
    }
  }
`);

export const AccountChoices = graphql(`
  query AccountChoices {
    accounts(first: 100) {
      nodes {
        id
        accountName
        displayName
        platform
        status
      }
    }
  }
`);

export const PostMediaFields = graphql(`
  fragment PostMediaFields on PostMedia {
    mediaId
    altText
    url
    thumbnailId
    thumbnailAtMs
    media {
      id
      url
      kind
      filename
    }
  }
`);

/** What a form changes too. */
export const PostContent = graphql(
  `
    fragment PostContent on Post {
      id
      revision
      status
      caption
      labels
      scheduledAt
      schedule {
        local
        timezone
      }
      media {
        ...PostMediaFields
      }
    }
  `,
  [PostMediaFields],
);
