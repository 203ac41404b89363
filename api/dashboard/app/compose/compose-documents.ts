// What the page for writing posts reads and does.
import { graphql, type ResultOf, type VariablesOf } from '../api/schema.ts';

export const ComposeAccounts = graphql(`
  query ComposeAccounts {
    accounts(first: 100, status: ACTIVE) {
      nodes {
        id
        accountName
        displayName
        platform
      }
    }
    capabilities {
      platform
      options
      text {
        max
        maxWithMedia
        unit
      }
      media {
        max
        maxAltText
      }
    }
  }
`);
type Found = ResultOf<typeof ComposeAccounts>;
export type AccountChoice = NonNullable<Found['accounts']>['nodes'][number];
export type NetworkRules = NonNullable<Found['capabilities']>[number];

export const ComposeQueues = graphql(`
  query ComposeQueues {
    queues(first: 100) {
      nodes {
        id
        name
        timezone
        isPaused
      }
    }
  }
`);

export const EditedPost = graphql(`
  query EditedPost($id: ID!) {
    post(id: $id) {
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
        mediaId
        altText
        url
        media {
          id
          url
          kind
          filename
        }
      }
      results {
        id
        platform
        accountName
        socialAccountId
      }
    }
  }
`);
export type EditedPostData = NonNullable<ResultOf<typeof EditedPost>['post']>;

export const ValidatePost = graphql(`
  query ValidatePost($input: CreatePostInput!) {
    validatePost(input: $input) {
      errors {
        path
        code
        message
        accountId
        platform
        actual
        limit
      }
      warnings {
        path
        code
        message
        accountId
        platform
        actual
        limit
      }
    }
  }
`);
export type PostInput = VariablesOf<typeof ValidatePost>['input'];
export type Validation = NonNullable<ResultOf<typeof ValidatePost>['validatePost']>;
export type Issue = Validation['errors'][number];

export const CreatePost = graphql(`
  mutation CreatePost($input: CreatePostInput!) {
    createPost(input: $input) {
      id
      revision
      status
    }
  }
`);

export const CreateMedia = graphql(`
  mutation CreateMedia($input: CreateMediaInput!) {
    createMedia(input: $input) {
      id
      uploadUrl
    }
  }
`);

export const Choices = graphql(`
  query Choices($accountId: ID!, $kind: String!, $q: String) {
    accountChoices(accountId: $accountId, kind: $kind, q: $q, first: 50) {
      nodes {
        choiceId
        name
        disabledReason
      }
    }
  }
`);
