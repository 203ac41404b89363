// What the page of one post reads and follows.
import { graphql, type ResultOf } from '../api/schema.ts';
import type { Followed } from '../api/streams.ts';
import { PostContent } from './post-documents.ts';

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
