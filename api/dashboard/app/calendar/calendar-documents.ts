// The posts of the days that are shown, and how many there are on each.
import { graphql, type ResultOf } from '../api/schema.ts';

const CalendarPost = graphql(`
  fragment CalendarPost on Post {
    id
    revision
    status
    caption
    scheduledAt
    publishedAt
    schedule {
      local
      timezone
    }
    results {
      id
      platform
    }
  }
`);
export type CalendarPostData = ResultOf<typeof CalendarPost>;

export const CalendarPosts = graphql(
  `
    query CalendarPosts(
      $from: DateTime!
      $to: DateTime!
      $timezone: String!
      $statuses: [PostStatus!]
      $labels: [String!]
      $accountId: ID
      $externalUserId: String
    ) {
      scheduled: posts(
        first: 100
        scheduledFrom: $from
        scheduledTo: $to
        statuses: $statuses
        labels: $labels
        accountId: $accountId
        externalUserId: $externalUserId
        orderBy: SCHEDULED_AT_ASC
      ) {
        nodes {
          ...CalendarPost
        }
        pageInfo {
          hasNextPage
        }
      }
      published: posts(
        first: 100
        publishedFrom: $from
        publishedTo: $to
        statuses: $statuses
        labels: $labels
        accountId: $accountId
        externalUserId: $externalUserId
        orderBy: PUBLISHED_AT_DESC
      ) {
        nodes {
          ...CalendarPost
        }
        pageInfo {
          hasNextPage
        }
      }
      postCounts(from: $from, to: $to, timezone: $timezone) {
        date
        status
        count
      }
    }
  `,
  [CalendarPost],
);

/** The first posts of a day. */
export const CalendarDay = graphql(
  `
    query CalendarDay(
      $first: Int!
      $from: DateTime!
      $to: DateTime!
      $statuses: [PostStatus!]
      $labels: [String!]
      $accountId: ID
      $externalUserId: String
    ) {
      posts(
        first: $first
        scheduledFrom: $from
        scheduledTo: $to
        statuses: $statuses
        labels: $labels
        accountId: $accountId
        externalUserId: $externalUserId
        orderBy: SCHEDULED_AT_ASC
      ) {
        nodes {
          ...CalendarPost
        }
      }
    }
  `,
  [CalendarPost],
);

export const MovePost = graphql(
  `
    mutation MovePost($id: ID!, $input: UpdatePostInput!) {
      updatePost(id: $id, input: $input) {
        ...CalendarPost
      }
    }
  `,
  [CalendarPost],
);
