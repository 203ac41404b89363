// What the page of settings reads and does.
import { graphql, type ResultOf } from '../api/schema.ts';

const ProjectFields = graphql(`
  fragment ProjectFields on Project {
    id
    name
    brandColor
    logoMediaId
    darkLogoMediaId
    privacyUrl
    supportUrl
    termsUrl
    returnOrigins
    publishWithinS
  }
`);
export type ProjectData = ResultOf<typeof ProjectFields>;

export const CurrentProject = graphql(
  `
    query CurrentProject {
      project {
        ...ProjectFields
      }
    }
  `,
  [ProjectFields],
);

export const UpdateProject = graphql(
  `
    mutation UpdateProject($input: UpdateProjectInput!) {
      updateProject(input: $input) {
        ...ProjectFields
      }
    }
  `,
  [ProjectFields],
);

export const KeyList = graphql(`
  query KeyList($after: String) {
    apiKeys(first: 25, after: $after) {
      nodes {
        id
        name
        prefix
        environment
        scopes
        createdAt
        lastUsedAt
        expiresAt
        revokedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export type KeyData = NonNullable<ResultOf<typeof KeyList>['apiKeys']>['nodes'][number];

export const CreateApiKey = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      key
      apiKey {
        id
      }
    }
  }
`);
export const RevokeApiKey = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(id: $id) {
      id
      revokedAt
    }
  }
`);

const AppFields = graphql(`
  fragment AppFields on PlatformApp {
    platform
    clientId
    hasClientSecret
    approval
    settings
    callbackUrls {
      redirect
      webhook
      deauthorize
      dataDeletion
    }
  }
`);
export type AppData = ResultOf<typeof AppFields>;

export const AppList = graphql(
  `
    query AppList {
      platformApps {
        ...AppFields
      }
    }
  `,
  [AppFields],
);

export const SetApp = graphql(
  `
    mutation SetApp($platform: Platform!, $input: SetPlatformAppInput!) {
      setPlatformApp(platform: $platform, input: $input) {
        ...AppFields
      }
    }
  `,
  [AppFields],
);

export const DeleteApp = graphql(`
  mutation DeleteApp($platform: Platform!, $force: Boolean) {
    deletePlatformApp(platform: $platform, force: $force)
  }
`);
