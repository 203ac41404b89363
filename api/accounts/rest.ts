// The REST routes of connected accounts.
import {
  Account,
  AccountHealth,
  AccountUsage,
  ConnectAccount,
  DisconnectAccount,
  GetAccountUsage,
  ImportAccount,
  ListAccounts,
  UpdateAccount,
} from '../../schema/accounts.ts';
import { Choice, choiceListMembers, ListChoices } from '../../schema/choices.ts';
import { Capabilities, GetCapabilities } from '../../schema/platforms/capabilities.ts';
import { del, get, list, listWith, one, patch, post, removed, written } from '../http/route.ts';
import { getAccountHealth } from './health.ts';
import { connectAccount, disconnectAccount, getAccount, listAccounts } from './operations.ts';
import { getAccountCapabilities } from './capabilities.ts';
import { listAccountChoices } from './choices.ts';
import { importAccount } from './import-account.ts';
import { updateAccount } from './update-account.ts';
import { getAccountUsage } from './usage.ts';

export const accountRoutes = [
  post('/v1/accounts/connect', {
    name: 'connectAccount',
    summary: 'Connect an account with credentials',
    description: 'Returns 201 for a new account, and 200 for an account that was connected again.',
    scope: 'accounts:write',
    body: ConnectAccount,
    location: ({ data }) => `/v1/accounts/${data.id}`,
    answer: written([201, 200], Account),
    run: ({ context, caller, body }) => connectAccount(context, caller, body),
  }),

  post('/v1/accounts/import', {
    name: 'importAccount',
    summary: 'Connect an account with tokens of your own',
    description:
      'For tokens that your own app obtained. Fanfare asks the network whose they are. Refused with the issue `token_invalid` or `scope_missing`. Returns 201 for a new account, and 200 for an account that was connected again.',
    scope: 'accounts:write',
    body: ImportAccount,
    location: ({ data }) => `/v1/accounts/${data.id}`,
    answer: written([201, 200], Account),
    run: ({ context, caller, body }) => importAccount(context, caller, body),
  }),

  get('/v1/accounts', {
    name: 'listAccounts',
    summary: 'List accounts',
    description: 'Newest first. Includes disconnected accounts.',
    scope: 'accounts:read',
    query: ListAccounts,
    answer: list(Account),
    run: ({ context, caller, query }) => listAccounts(context, caller, query),
  }),

  get('/v1/accounts/:id', {
    name: 'getAccount',
    summary: 'Get an account',
    scope: 'accounts:read',
    answer: one(Account),
    run: ({ context, caller, params }) => getAccount(context, caller, params.id),
  }),

  patch('/v1/accounts/:id', {
    name: 'updateAccount',
    summary: 'Change an account',
    description:
      'Changes your name for the account, its user, and the defaults of its posts. Fields you send replace the old value completely.',
    scope: 'accounts:write',
    body: UpdateAccount,
    answer: written(200, Account),
    run: ({ context, caller, params, body }) => updateAccount(context, caller, params.id, body),
  }),

  get('/v1/accounts/:id/health', {
    name: 'getAccountHealth',
    summary: 'Check whether an account can publish, now and soon',
    scope: 'accounts:read',
    answer: one(AccountHealth),
    run: ({ context, caller, params }) => getAccountHealth(context, caller, params.id),
  }),

  get('/v1/accounts/:id/usage', {
    name: 'getAccountUsage',
    summary: "Get an account's use of its monthly limit",
    scope: 'accounts:read',
    query: GetAccountUsage,
    answer: one(AccountUsage),
    run: ({ context, caller, params, query }) => getAccountUsage(context, caller, params.id, query),
  }),

  get('/v1/accounts/:id/capabilities', {
    name: 'getAccountCapabilities',
    summary: 'Get what an account accepts',
    description:
      "The rules of the account's network, or its own, such as the text limit of its Mastodon server. With `refresh`, Fanfare first asks the network. This fails with `reconnect_required` if the network no longer grants access.",
    scope: 'accounts:read',
    query: GetCapabilities,
    needsAccess: true,
    answer: one(Capabilities),
    run: ({ context, caller, params, query }) =>
      getAccountCapabilities(context, caller, params.id, query),
  }),

  get('/v1/accounts/:id/choices/:kind', {
    name: 'listAccountChoices',
    summary: "List the choices for an account's options",
    description:
      'What the network offers to the account as values of options, such as the categories of its site. `choices` in the capabilities lists the kinds. Fanfare keeps a list for an hour, and searches the kept one. Fails with `reconnect_required` if the network no longer grants access.',
    scope: 'accounts:read',
    query: ListChoices,
    needsAccess: true,
    answer: listWith(Choice, choiceListMembers),
    run: ({ context, caller, params: { id, kind }, query }) =>
      listAccountChoices(context, caller, { accountId: id, kind }, query),
  }),

  del('/v1/accounts/:id', {
    name: 'disconnectAccount',
    summary: 'Disconnect an account',
    description:
      'Revokes the access at the network and deletes the credentials. With `erase`, also erases what the account left behind, as `DELETE /v1/users/:external_user_id` does.',
    scope: 'accounts:write',
    query: DisconnectAccount,
    answer: removed,
    run: ({ context, caller, params, query }) =>
      disconnectAccount(context, caller, params.id, query),
  }),
];
