// What the page about queues reads and does.
import { graphql, type ResultOf } from '../api/schema.ts';

const QueueFields = graphql(`
  fragment QueueFields on Queue {
    id
    name
    timezone
    isPaused
    slots {
      weekday
      time
    }
    accountIds
    warnings {
      code
      message
    }
  }
`);
export type QueueData = ResultOf<typeof QueueFields>;

export const QueueList = graphql(
  `
    query QueueList($after: String) {
      queues(first: 25, after: $after) {
        nodes {
          ...QueueFields
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [QueueFields],
);

export const OneQueue = graphql(
  `
    query OneQueue($id: ID!, $canReadAccounts: Boolean!) {
      queue(id: $id) {
        ...QueueFields
        accounts @include(if: $canReadAccounts) {
          id
          accountName
          displayName
          platform
        }
      }
      queueSlots(id: $id) {
        at
        local
        postId
        post {
          id
          revision
          caption
          status
        }
      }
    }
  `,
  [QueueFields],
);

export const CreateQueue = graphql(`
  mutation CreateQueue($input: CreateQueueInput!) {
    createQueue(input: $input) {
      id
    }
  }
`);
export const UpdateQueue = graphql(
  `
    mutation UpdateQueue($id: ID!, $input: UpdateQueueInput!) {
      updateQueue(id: $id, input: $input) {
        ...QueueFields
      }
    }
  `,
  [QueueFields],
);
export const DeleteQueue = graphql(`
  mutation DeleteQueue($id: ID!) {
    deleteQueue(id: $id)
  }
`);
export const RescheduleQueue = graphql(`
  mutation RescheduleQueue($id: ID!) {
    rescheduleQueue(id: $id) {
      movedPosts
    }
  }
`);
