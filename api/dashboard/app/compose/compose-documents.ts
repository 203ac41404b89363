// What the page for writing posts reads and does.
import { gql } from '@urql/core';
import { optionSelection } from '../api/option-selection.ts';
import { graphql, type ResultOf, type VariablesOf } from '../api/schema.ts';
import { PostContent, PostMediaFields } from '../posts/post-documents.ts';

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
      threads
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

export const EditedPost = graphql(
  `
    query EditedPost($id: ID!) {
      post(id: $id) {
        ...PostContent
        results {
          id
          platform
          accountName
          socialAccountId
          caption
          threadPosition
          inReplyTo
          defaulted
          firstComment {
            id
            text
          }
          media {
            ...PostMediaFields
          }
        }
      }
    }
  `,
  [PostContent, PostMediaFields],
);
export type EditedPostData = NonNullable<ResultOf<typeof EditedPost>['post']>;

export interface EditedOptionsData {
  post: { results: { id: string; platformOptions: Record<string, unknown> | null }[] } | null;
}

/** The options of the targets of a post. Their names begin with the names of their types. */
export const EditedOptions = gql<EditedOptionsData, { id: string }>(`
  query EditedOptions($id: ID!) {
    post(id: $id) { id revision results { id platformOptions {${optionSelection}} } }
  }
`);

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
