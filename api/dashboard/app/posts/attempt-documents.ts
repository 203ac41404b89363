// What is read of the calls to a network.
import { graphql } from '../api/schema.ts';

export const Attempts = graphql(`
  query Attempts($id: ID!) {
    node(id: $id) {
      __typename
      id
      ... on PostResult {
        attempts
        attemptLog(first: 50) {
          nodes {
            run
            number
            phase
            outcome
            startedAt
            durationMs
            errorCode
            errorMessage
            providerError
          }
          pageInfo {
            hasNextPage
          }
        }
      }
    }
  }
`);
