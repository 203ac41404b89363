// Connected accounts, in GraphQL.
import {
  accountStatuses,
  ConnectAccount,
  connectionTypes,
  GetAccountUsage,
  ListAccounts,
  publishedMeaning,
  warningAtMeaning,
  type Account,
  type AccountUsage,
} from '../../schema/accounts.ts';
import { builder, operationCost } from '../builder.ts';
import { list, read, readId, write } from '../graphql-operation.ts';
import {
  connectionOf,
  idArguments,
  idempotencyArguments,
  noInput,
  pageArguments,
  pageCost,
  toConnection,
  wordEnum,
} from '../graphql-shapes.ts';
import { PlatformRef } from '../platforms/graphql.ts';
import { connectAccount, disconnectAccount, getAccount, listAccounts } from './operations.ts';
import { getAccountUsage } from './usage.ts';

const AccountStatusRef = wordEnum('AccountStatus', accountStatuses);

const ConnectionTypeRef = wordEnum('ConnectionType', connectionTypes, {
  managed: 'Connected on the hosted page.',
  byo: 'Connected with credentials that the client brought.',
});

const AccountUsageRef = builder.objectRef<AccountUsage>('AccountUsage').implement({
  description: 'How much of its monthly limit an account has used.',
  fields: (t) => ({
    month: t.exposeString('month', { description: 'A calendar month, UTC: `2026-01`.' }),
    published: t.exposeInt('published', { description: publishedMeaning }),
    limit: t.exposeInt('limit', { nullable: true, description: 'Null: no limit.' }),
    warningAt: t.exposeInt('warning_at', {
      nullable: true,
      description: warningAtMeaning,
    }),
    warnedAt: t.expose('warned_at', { type: 'DateTime', nullable: true }),
    exceededAt: t.expose('exceeded_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the limit was reached.',
    }),
  }),
});

const AccountRef = builder.objectRef<Account>('Account').implement({
  description: 'A connected social account.',
  fields: (t) => ({
    id: t.exposeID('id'),
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
      description: 'Read anew for each account.',
      complexity: operationCost,
      args: { month: t.arg.string({ description: 'Default: the present month, UTC.' }) },
      resolve: ({ id }, args, graphql) =>
        list(graphql, 'accounts:read', GetAccountUsage, args, (context, caller, query) =>
          getAccountUsage(context, caller, id, query),
        ),
    }),
  }),
});

const AccountConnection = connectionOf('AccountConnection', AccountRef);

const ConnectAccountInput = builder.inputType('ConnectAccountInput', {
  fields: (t) => ({
    platform: t.field({ type: PlatformRef, required: true }),
    credentials: t.field({
      type: 'JSON',
      required: true,
      description: 'What the network asks for: see `capabilities.connect.credentials`.',
    }),
    externalUserId: t.string({ description: "The client's own user." }),
    externalUserEmail: t.string(),
  }),
});

builder.queryFields((t) => ({
  account: t.field({
    type: AccountRef,
    nullable: true,
    description: 'A connected account.',
    complexity: operationCost,
    args: idArguments,
    resolve: (_, { id }, graphql) =>
      read(graphql, 'accounts:read', (context, caller) =>
        getAccount(context, caller, readId('account', id)),
      ),
  }),
  accounts: t.field({
    type: AccountConnection,
    nullable: true,
    description: 'The accounts, those disconnected included, newest first.',
    complexity: pageCost,
    args: {
      ...pageArguments,
      platform: t.arg({ type: PlatformRef }),
      externalUserId: t.arg.string(),
      status: t.arg({ type: AccountStatusRef }),
    },
    resolve: async (_, args, graphql) =>
      toConnection(await list(graphql, 'accounts:read', ListAccounts, args, listAccounts)),
  }),
}));

builder.mutationFields((t) => ({
  connectAccount: t.field({
    type: AccountRef,
    nullable: true,
    description: 'Connects an account with plain credentials.',
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
    description: 'Disconnects an account and revokes our access at its network.',
    complexity: operationCost,
    args: idArguments,
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
