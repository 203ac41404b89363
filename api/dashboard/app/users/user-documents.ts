// What the page about users reads and does.
import { graphql } from '../api/schema.ts';

export const UserList = graphql(`
  query UserList($after: String) {
    users(first: 25, after: $after) {
      nodes {
        externalUserId
        externalUserEmail
        accountCount
        reconnectCount
        platforms {
          platform
          accountCount
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const EraseUser = graphql(`
  mutation EraseUser($id: String!) {
    eraseUser(externalUserId: $id)
  }
`);
