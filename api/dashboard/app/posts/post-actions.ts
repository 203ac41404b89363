// What can be done with a post, and with one of its targets.
import { graphql } from '../api/schema.ts';

export const PublishPost = graphql(`
  mutation PublishPost($id: ID!) {
    publishPost(id: $id) {
      id
      revision
      status
    }
  }
`);
export const CancelPost = graphql(`
  mutation CancelPost($id: ID!) {
    cancelPost(id: $id) {
      id
      revision
      status
    }
  }
`);
export const DeletePost = graphql(`
  mutation DeletePost($id: ID!) {
    deletePost(id: $id)
  }
`);
export const DuplicatePost = graphql(`
  mutation DuplicatePost($id: ID!) {
    duplicatePost(id: $id) {
      id
      revision
      status
    }
  }
`);
export const UpdatePost = graphql(`
  mutation UpdatePost($id: ID!, $input: UpdatePostInput!) {
    updatePost(id: $id, input: $input) {
      id
      revision
      status
      caption
      scheduledAt
      labels
    }
  }
`);
export const RetryResult = graphql(`
  mutation RetryResult($postId: ID!, $resultId: ID!) {
    retryResult(postId: $postId, resultId: $resultId) {
      id
      status
    }
  }
`);
export const UpdateResult = graphql(`
  mutation UpdateResult($postId: ID!, $resultId: ID!, $input: UpdateResultInput!) {
    updateResult(postId: $postId, resultId: $resultId, input: $input) {
      id
      status
    }
  }
`);
export const UnpublishResult = graphql(`
  mutation UnpublishResult($postId: ID!, $resultId: ID!) {
    unpublishResult(postId: $postId, resultId: $resultId) {
      id
      status
    }
  }
`);
export const MarkUnpublished = graphql(`
  mutation MarkUnpublished($postId: ID!, $resultId: ID!) {
    markResultUnpublished(postId: $postId, resultId: $resultId) {
      id
      status
    }
  }
`);
