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

/** The first posts of seven days, which begin at these times. */
export const CalendarWeek = graphql(
  `
    query CalendarWeek(
      $first: Int!
      $d0: DateTime!
      $d1: DateTime!
      $d2: DateTime!
      $d3: DateTime!
      $d4: DateTime!
      $d5: DateTime!
      $d6: DateTime!
      $d7: DateTime!
      $statuses: [PostStatus!]
      $labels: [String!]
      $accountId: ID
      $externalUserId: String
    ) {
      day0: posts(
        first: $first
        scheduledFrom: $d0
        scheduledTo: $d1
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
      day1: posts(
        first: $first
        scheduledFrom: $d1
        scheduledTo: $d2
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
      day2: posts(
        first: $first
        scheduledFrom: $d2
        scheduledTo: $d3
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
      day3: posts(
        first: $first
        scheduledFrom: $d3
        scheduledTo: $d4
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
      day4: posts(
        first: $first
        scheduledFrom: $d4
        scheduledTo: $d5
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
      day5: posts(
        first: $first
        scheduledFrom: $d5
        scheduledTo: $d6
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
      day6: posts(
        first: $first
        scheduledFrom: $d6
        scheduledTo: $d7
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
