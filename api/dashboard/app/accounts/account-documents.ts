// What the pages about accounts read, follow and do.
import { graphql, type ResultOf } from '../api/schema.ts';
import type { Followed } from '../api/streams.ts';

export const AccountRow = graphql(`
  fragment AccountRow on Account {
    id
    platform
    accountName
    displayName
    status
    externalUserId
    connectedAt
    tokenExpiresAt
    health {
      status
      issues {
        code
        message
      }
      lastSuccessfulPostAt
    }
    usage {
      month
      published
      limit
    }
  }
`);
export type AccountData = ResultOf<typeof AccountRow>;

export const AccountList = graphql(
  `
    query AccountList($after: String, $status: AccountStatusFilter, $user: String) {
      accounts(first: 25, after: $after, status: $status, externalUserId: $user) {
        nodes {
          ...AccountRow
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [AccountRow],
);

const AccountChanges = graphql(
  `
    subscription AccountChanges($after: String) {
      accountUpdated(after: $after) {
        cursor
        change
        accountId
        account {
          ...AccountRow
        }
      }
    }
  `,
  [AccountRow],
);
export const followAccounts: readonly Followed[] = [{ document: AccountChanges }];

export const OneAccount = graphql(
  `
    query OneAccount($id: ID!) {
      account(id: $id) {
        ...AccountRow
        connectionType
        scope
      }
    }
  `,
  [AccountRow],
);

export const Networks = graphql(`
  query Networks {
    capabilities {
      platform
      connect {
        consent
      }
    }
  }
`);

export const CreateConnectSession = graphql(`
  mutation CreateConnectSession($input: CreateConnectSessionInput!) {
    createConnectSession(input: $input) {
      id
      url
      expiresAt
    }
  }
`);

export const DisconnectAccount = graphql(`
  mutation DisconnectAccount($id: ID!, $erase: Boolean) {
    disconnectAccount(id: $id, erase: $erase) {
      id
      status
    }
  }
`);

const CheckFields = graphql(`
  fragment CheckFields on AccountCheck {
    id
    status
    steps {
      name
      status
      message
      code
      docsUrl
      nextAction
    }
  }
`);

export const StartCheck = graphql(
  `
    mutation StartCheck($accountId: ID!, $input: CreateAccountCheckInput) {
      createAccountCheck(accountId: $accountId, input: $input) {
        ...CheckFields
      }
    }
  `,
  [CheckFields],
);

export const OneCheck = graphql(
  `
    query OneCheck($id: ID!) {
      accountCheck(id: $id) {
        ...CheckFields
      }
    }
  `,
  [CheckFields],
);
