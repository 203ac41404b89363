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

const OutcomeFields = graphql(`
  fragment OutcomeFields on Outcome {
    id
    status
    attempts
    errorCode
    errorMessage
    errorHint
    errorDocsUrl
    isRetriable
    nextAction
    nextAttemptAt
    publishedAt
    url
    visibility
    waitingFor
    failureStage
    changes {
      id
      type
      status
      errorMessage
      nextAction
      requestedAt
      actor {
        type
        name
      }
    }
  }
`);

export const PostDetail = graphql(
  `
    fragment PostDetail on Post {
      ...PostContent
      createdAt
      createdBy {
        type
        name
      }
      publishedAt
      queueId
      warnings {
        path
        message
      }
      results {
        ...OutcomeFields
        platform
        accountName
        socialAccountId
        caption
        threadPosition
        firstComment {
          ...OutcomeFields
          text
        }
        steps {
          ...OutcomeFields
          name
        }
      }
    }
  `,
  [OutcomeFields, PostContent],
);
export type PostData = ResultOf<typeof PostDetail>;
export type Target = PostData['results'][number];
export type OutcomeData = ResultOf<typeof OutcomeFields>;

export const OnePost = graphql(
  `
    query OnePost($id: ID!) {
      post(id: $id) {
        ...PostDetail
      }
    }
  `,
  [PostDetail],
);

const OnePostChanges = graphql(
  `
    subscription OnePostChanges($after: String, $id: ID) {
      postUpdated(after: $after, id: $id) {
        cursor
        change
        postId
        post {
          ...PostDetail
        }
      }
    }
  `,
  [PostDetail],
);
export const followPost = (id: string): readonly Followed[] => [
  { document: OnePostChanges, variables: { id } },
];
