// Connected accounts, in GraphQL.
import {
  AccountStatus,
  ConnectAccount,
  ConnectionType,
  GetAccountUsage,
  ListAccounts,
  type Account,
  type AccountUsage,
} from '../../schema/accounts.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { inBatchesByQuery } from '../graphql/batches.ts';
import { connectionOf } from '../graphql/connections.ts';
import { requireCaller } from '../graphql/context.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { list, readId, write } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { idArguments, idempotencyArguments, noInput, wordEnum } from '../graphql/shapes.ts';
import { subscriptionOf } from '../graphql/subscriptions.ts';
import { PlatformRef } from '../platforms/graphql.ts';
import {
  connectAccount,
  disconnectAccount,
  findAccounts,
  getAccount,
  listAccounts,
} from './operations.ts';
import { findUsage } from './usage.ts';

const AccountStatusRef = wordEnum(AccountStatus);

const ConnectionTypeRef = wordEnum(ConnectionType);

const AccountUsageRef = builder.objectRef<AccountUsage>('AccountUsage').implement({
  fields: (t) => ({
    month: t.exposeString('month'),
    published: t.exposeInt('published'),
    limit: t.exposeInt('limit', { nullable: true }),
    warningAt: t.exposeInt('warning_at', { nullable: true }),
    warnedAt: t.expose('warned_at', { type: 'DateTime', nullable: true }),
    exceededAt: t.expose('exceeded_at', { type: 'DateTime', nullable: true }),
  }),
});

export const AccountRef = builder.objectRef<Account>('Account');
export const accountNodes = nodesOf('accounts:read', findAccounts);

const loadUsage = inBatchesByQuery((graphql, ids, query: GetAccountUsage) =>
  findUsage(graphql.app, requireCaller(graphql, 'accounts:read'), ids, query),
);

builder.node(AccountRef, {
  ...accountNodes.options,
  fields: (t) => ({
    platform: t.expose('platform', { type: PlatformRef }),
    accountName: t.exposeString('account_name'),
    externalAccountId: t.exposeString('external_account_id'),
    externalUserId: t.exposeString('external_user_id', { nullable: true }),
    externalUserEmail: t.exposeString('external_user_email', { nullable: true }),
    connectionType: t.expose('connection_type', { type: ConnectionTypeRef }),
    status: t.expose('status', { type: AccountStatusRef }),
    scope: t.exposeStringList('scope'),
    connectedAt: t.expose('connected_at', { type: 'DateTime' }),
    tokenExpiresAt: t.expose('token_expires_at', { type: 'DateTime', nullable: true }),
    usage: t.field({
      type: AccountUsageRef,
      nullable: true,
      description: 'Use of the monthly limit.',
      complexity: 1,
      extensions: { query: GetAccountUsage },
      args: { month: t.arg.string() },
      resolve: ({ id }, args, graphql) =>
        list(
          graphql,
          'accounts:read',
          GetAccountUsage,
          args,
          async (_context, _caller, query) => (await loadUsage(graphql, id, query))!,
        ),
    }),
  }),
});

const AccountConnection = connectionOf('AccountConnection', AccountRef);

const ConnectAccountInput = builder.inputType('ConnectAccountInput', {
  fields: (t) => ({
    platform: t.field({ type: PlatformRef, required: true }),
    credentials: t.field({ type: 'JSON', required: true }),
    externalUserId: t.string(),
    externalUserEmail: t.string(),
  }),
});

queryOne('account', {
  type: AccountRef,
  scope: 'accounts:read',
  resource: 'account',
  get: getAccount,
});

queryPages('accounts', {
  type: AccountConnection,
  scope: 'accounts:read',
  schema: ListAccounts,
  filters: builder.args((t) => ({
    platform: t.field({ type: PlatformRef }),
    externalUserId: t.string(),
    status: t.field({ type: AccountStatusRef }),
  })),
  list: listAccounts,
});

builder.mutationFields((t) => ({
  connectAccount: t.field({
    type: AccountRef,
    nullable: true,
    description: 'Connect an account with credentials.',
    complexity: operationCost,
    args: {
      input: t.arg({ type: ConnectAccountInput, required: true }),
      ...idempotencyArguments,
    },
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'accounts:write', schema: ConnectAccount, args, info },
        connectAccount,
      ),
  }),
  disconnectAccount: t.field({
    type: AccountRef,
    nullable: true,
    complexity: operationCost,
    args: idArguments('account'),
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'accounts:write', schema: noInput, args, info },
        async (context, caller) => {
          const id = readId('account', args.id);
          const { status } = await disconnectAccount(context, caller, id);
          return { status, data: await getAccount(context, caller, id) };
        },
      ),
  }),
}));

subscriptionOf('accountUpdated', {
  description:
    "Changes of the project's accounts, or of one account. With `id` and without `after`, the first message is the current state.",
  subject: 'account',
  type: AccountRef,
  scope: 'accounts:read',
  get: getAccount,
  find: findAccounts,
});
