// Connected accounts, in GraphQL.
import {
  AccountHealthStatus,
  AccountIssueCode,
  AccountStatus,
  AccountStatusFilter,
  ConnectAccount,
  DisconnectAccount,
  ConnectionType,
  GetAccountUsage,
  ImportAccount,
  ListAccounts,
  UpdateAccount,
  type Account,
  type AccountDefaults,
  type AccountHealth,
  type AccountIssue,
  type AccountUsage,
} from '../../schema/accounts.ts';
import { GetCapabilities } from '../../schema/platforms/capabilities.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { inBatches, inBatchesByQuery } from '../graphql/batches.ts';
import { connectionOf } from '../graphql/connections.ts';
import { requireCaller } from '../graphql/context.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { list, read } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { subscriptionOf } from '../graphql/subscriptions.ts';
import { CapabilitiesRef, PlatformRef } from '../platforms/graphql.ts';
import {
  PlatformOptionsInput,
  PlatformOptionsRef,
  showOptions,
} from '../platforms/options-graphql.ts';
import { findHealth } from './health.ts';
import {
  connectAccount,
  disconnectAccount,
  findAccounts,
  getAccount,
  listAccounts,
} from './operations.ts';
import { findCapabilities, getAccountCapabilities } from './capabilities.ts';
import { importAccount } from './import-account.ts';
import { updateAccount } from './update-account.ts';
import { findUsage } from './usage.ts';

const AccountStatusRef = wordEnum(AccountStatus);

const ConnectionTypeRef = wordEnum(ConnectionType);

const AccountIssueRef = builder.objectRef<AccountIssue>('AccountIssue').implement({
  fields: (t) => ({
    code: t.expose('code', { type: wordEnum(AccountIssueCode) }),
    message: t.exposeString('message'),
  }),
});

const AccountHealthRef = builder.objectRef<AccountHealth>('AccountHealth').implement({
  fields: (t) => ({
    socialAccountId: t.exposeID('social_account_id'),
    platform: t.expose('platform', { type: PlatformRef }),
    accountName: t.exposeString('account_name'),
    status: t.expose('status', { type: wordEnum(AccountHealthStatus) }),
    issues: t.expose('issues', { type: [AccountIssueRef] }),
    tokenExpiresAt: t.expose('token_expires_at', { type: 'DateTime', nullable: true }),
    lastSuccessfulPostAt: t.expose('last_successful_post_at', { type: 'DateTime', nullable: true }),
  }),
});

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

const AccountDefaultsRef = builder
  .objectRef<AccountDefaults & Pick<Account, 'platform'>>('AccountDefaults')
  .implement({
    fields: (t) => ({
      platformOptions: t.field({
        type: PlatformOptionsRef,
        nullable: true,
        resolve: ({ platform, platform_options: options }) => showOptions(platform, options),
      }),
    }),
  });

export const AccountRef = builder.objectRef<Account>('Account');
export const accountNodes = nodesOf('accounts:read', findAccounts);

const loadHealth = inBatches((graphql, ids) =>
  findHealth(graphql.app, requireCaller(graphql, 'accounts:read'), ids),
);

const loadUsage = inBatchesByQuery((graphql, ids, query: GetAccountUsage) =>
  findUsage(graphql.app, requireCaller(graphql, 'accounts:read'), ids, query),
);

const loadCapabilities = inBatches((graphql, ids) =>
  findCapabilities(graphql.app, requireCaller(graphql, 'accounts:read'), ids),
);

builder.node(AccountRef, {
  ...accountNodes.options,
  fields: (t) => ({
    platform: t.expose('platform', { type: PlatformRef }),
    accountName: t.exposeString('account_name'),
    displayName: t.exposeString('display_name', { nullable: true }),
    externalAccountId: t.exposeString('external_account_id'),
    externalUserId: t.exposeString('external_user_id', { nullable: true }),
    externalUserEmail: t.exposeString('external_user_email', { nullable: true }),
    connectionType: t.expose('connection_type', { type: ConnectionTypeRef }),
    status: t.expose('status', { type: AccountStatusRef }),
    scope: t.exposeStringList('scope'),
    connectedAt: t.expose('connected_at', { type: 'DateTime' }),
    tokenExpiresAt: t.expose('token_expires_at', { type: 'DateTime', nullable: true }),
    defaults: t.field({
      type: AccountDefaultsRef,
      description: 'What posts to the account get by default.',
      resolve: ({ platform, defaults }) => ({ platform, ...defaults }),
    }),
    capabilities: t.field({
      type: CapabilitiesRef,
      nullable: true,
      description:
        'What the account accepts. Null if this installation no longer publishes to its network.',
      complexity: ({ refresh }) => ({ field: refresh ? operationCost : 1 }),
      extensions: { query: GetCapabilities },
      args: { refresh: t.arg.boolean() },
      resolve: ({ id }, args, graphql) =>
        list(graphql, 'accounts:read', GetCapabilities, args, async (context, caller, query) =>
          query.refresh
            ? getAccountCapabilities(context, caller, id, query)
            : loadCapabilities(graphql, id),
        ),
    }),
    health: t.field({
      type: AccountHealthRef,
      nullable: true,
      description: 'Whether the account can publish, now and soon.',
      complexity: 1,
      resolve: ({ id }, _, graphql) =>
        read(graphql, 'accounts:read', async () => (await loadHealth(graphql, id))!),
    }),
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

const ImportAccountInput = builder.inputType('ImportAccountInput', {
  fields: (t) => ({
    platform: t.field({ type: PlatformRef, required: true }),
    accessToken: t.string({ required: true }),
    refreshToken: t.string(),
    expiresAt: t.field({ type: 'DateTime' }),
    scope: t.stringList(),
    instance: t.string(),
    externalAccountId: t.string(),
    externalUserId: t.string(),
    externalUserEmail: t.string(),
  }),
});

const AccountDefaultsInput = builder.inputType('AccountDefaultsInput', {
  fields: (t) => ({ platformOptions: t.field({ type: PlatformOptionsInput, required: true }) }),
});

const UpdateAccountInput = builder.inputType('UpdateAccountInput', {
  fields: (t) => ({
    displayName: t.string(),
    externalUserId: t.string(),
    defaults: t.field({ type: AccountDefaultsInput }),
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
    status: t.field({ type: wordEnum(AccountStatusFilter) }),
  })),
  list: listAccounts,
});

mutationOf('connectAccount', {
  type: AccountRef,
  scope: 'accounts:write',
  description: 'Connect an account with credentials.',
  input: ConnectAccountInput,
  schema: ConnectAccount,
  takesKey: true,
  run: connectAccount,
});

mutationOf('importAccount', {
  type: AccountRef,
  scope: 'accounts:write',
  description:
    'Connect an account with tokens that your own app obtained. Fanfare asks the network whose they are. Refused with the issue `token_invalid` or `scope_missing`.',
  input: ImportAccountInput,
  schema: ImportAccount,
  takesKey: true,
  run: importAccount,
});

mutationOf('updateAccount', {
  type: AccountRef,
  scope: 'accounts:write',
  resource: 'account',
  input: UpdateAccountInput,
  schema: UpdateAccount,
  takesKey: true,
  run: (context, caller, changes, { id }) => updateAccount(context, caller, id, changes),
});

mutationOf('disconnectAccount', {
  type: AccountRef,
  scope: 'accounts:write',
  resource: 'account',
  args: builder.args((t) => ({ erase: t.boolean() })),
  query: DisconnectAccount,
  async run(context, caller, _, { id, args }) {
    const erase = args.erase ?? false;
    const { status } = await disconnectAccount(context, caller, id, { erase });
    return { status, data: await getAccount(context, caller, id) };
  },
});

subscriptionOf('accountUpdated', {
  description:
    "Changes of the project's accounts, or of one account. With `id` and without `after`, the first message is the current state.",
  subject: 'account',
  type: AccountRef,
  scope: 'accounts:read',
  get: getAccount,
  find: findAccounts,
});
