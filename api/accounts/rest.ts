// The REST routes of connected accounts.
import {
  Account,
  AccountUsage,
  ConnectAccount,
  GetAccountUsage,
  ListAccounts,
} from '../../schema/accounts.ts';
import { del, get, list, one, post, removed, written } from '../http/route.ts';
import { connectAccount, disconnectAccount, getAccount, listAccounts } from './operations.ts';
import { getAccountUsage } from './usage.ts';

export const accountRoutes = [
  post('/v1/accounts/connect', {
    name: 'connectAccount',
    summary: 'Connect an account with plain credentials',
    description: '201 for an account that is new to the project, 200 for one connected again.',
    scope: 'accounts:write',
    body: ConnectAccount,
    answer: written([201, 200], Account),
    run: ({ context, caller, body }) => connectAccount(context, caller, body),
  }),

  get('/v1/accounts', {
    name: 'listAccounts',
    summary: 'List the accounts, those disconnected included',
    scope: 'accounts:read',
    query: ListAccounts,
    answer: list(Account),
    run: ({ context, caller, query }) => listAccounts(context, caller, query),
  }),

  get('/v1/accounts/:id', {
    name: 'getAccount',
    summary: 'Read an account',
    scope: 'accounts:read',
    answer: one(Account),
    run: ({ context, caller, params }) => getAccount(context, caller, params.id),
  }),

  get('/v1/accounts/:id/usage', {
    name: 'getAccountUsage',
    summary: 'Read how much of its monthly limit an account has used',
    scope: 'accounts:read',
    query: GetAccountUsage,
    answer: one(AccountUsage),
    run: ({ context, caller, params, query }) => getAccountUsage(context, caller, params.id, query),
  }),

  del('/v1/accounts/:id', {
    name: 'disconnectAccount',
    summary: 'Disconnect an account and revoke our access at its network',
    scope: 'accounts:write',
    answer: removed,
    run: ({ context, caller, params }) => disconnectAccount(context, caller, params.id),
  }),
];
