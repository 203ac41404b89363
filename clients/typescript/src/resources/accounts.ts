// Accounts, the users who own them, and the hosted pages that connect them.
import type { Calls } from '../calls.ts';
import type { Body, Query } from '../operations.ts';
import { path, type CallOptions } from '../send.ts';

export function createAccounts({ one, list, removal }: Calls) {
  return {
    /** Connects an account with its credentials. */
    connect: (account: Body<'connectAccount'>, options?: CallOptions) =>
      one<'connectAccount'>('POST', '/v1/accounts/connect', { body: account }, options),

    /** Takes over the tokens of an account. */
    import: (account: Body<'importAccount'>, options?: CallOptions) =>
      one<'importAccount'>('POST', '/v1/accounts/import', { body: account }, options),

    list: (query?: Query<'listAccounts'>, options?: CallOptions) =>
      list<'listAccounts'>('/v1/accounts', query, options),

    get: (id: string, options?: CallOptions) =>
      one<'getAccount'>('GET', path`/v1/accounts/${id}`, {}, options),

    update: (id: string, changes: Body<'updateAccount'>, options?: CallOptions) =>
      one<'updateAccount'>('PATCH', path`/v1/accounts/${id}`, { body: changes }, options),

    /** With `erase`, also deletes what the account left behind. */
    disconnect: (id: string, { erase, ...options }: CallOptions & { erase?: boolean } = {}) =>
      removal('DELETE', path`/v1/accounts/${id}`, { query: { erase } }, options),

    health: (id: string, options?: CallOptions) =>
      one<'getAccountHealth'>('GET', path`/v1/accounts/${id}/health`, {}, options),

    usage: (id: string, query?: Query<'getAccountUsage'>, options?: CallOptions) =>
      one<'getAccountUsage'>('GET', path`/v1/accounts/${id}/usage`, { query }, options),

    capabilities: (id: string, query?: Query<'getAccountCapabilities'>, options?: CallOptions) =>
      one<'getAccountCapabilities'>(
        'GET',
        path`/v1/accounts/${id}/capabilities`,
        { query },
        options,
      ),

    /** What the network offers to the account as values of options. */
    choices: (
      id: string,
      kind: string,
      query?: Query<'listAccountChoices'>,
      options?: CallOptions,
    ) => list<'listAccountChoices'>(path`/v1/accounts/${id}/choices/${kind}`, query, options),

    /** Checks step by step whether the account can publish. */
    createCheck: (id: string, check: Body<'createAccountCheck'> = {}, options?: CallOptions) =>
      one<'createAccountCheck'>('POST', path`/v1/accounts/${id}/checks`, { body: check }, options),

    getCheck: (id: string, checkId: string, options?: CallOptions) =>
      one<'getAccountCheck'>('GET', path`/v1/accounts/${id}/checks/${checkId}`, {}, options),
  };
}

export function createUsers({ one, list, removal }: Calls) {
  return {
    list: (query?: Query<'listUsers'>, options?: CallOptions) =>
      list<'listUsers'>('/v1/users', query, options),

    get: (externalUserId: string, options?: CallOptions) =>
      one<'getUser'>('GET', path`/v1/users/${externalUserId}`, {}, options),

    /** Erases the user's accounts and what they left behind. */
    erase: (externalUserId: string, options?: CallOptions) =>
      removal('DELETE', path`/v1/users/${externalUserId}`, {}, options),
  };
}

export function createConnect({ one }: Calls) {
  return {
    /** Open its `url` in the user's browser. */
    createSession: (session: Body<'createConnectSession'>, options?: CallOptions) =>
      one<'createConnectSession'>('POST', '/v1/connect/sessions', { body: session }, options),

    getSession: (id: string, options?: CallOptions) =>
      one<'getConnectSession'>('GET', path`/v1/connect/sessions/${id}`, {}, options),
  };
}
