// Connect sessions in GraphQL.
import {
  ConnectSessionStatus,
  CreateConnectSession,
  type ConnectSession,
} from '../../schema/accounts.ts';
import { accountNodes, AccountRef } from '../accounts/graphql.ts';
import { KeyEnvironmentRef } from '../api-keys/graphql.ts';
import { builder } from '../graphql/builder.ts';
import { linkOne } from '../graphql/links.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { queryOne } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { PlatformRef } from '../platforms/graphql.ts';
import { createConnectSession, findConnectSessions, getConnectSession } from './operations.ts';

const ConnectSessionStatusRef = wordEnum(ConnectSessionStatus);

const ConnectSessionRef = builder.objectRef<ConnectSession>('ConnectSession');

builder.node(ConnectSessionRef, {
  ...nodesOf('accounts:read', findConnectSessions).options,
  fields: (t) => ({
    url: t.exposeString('url', { nullable: true }),
    platform: t.expose('platform', { type: PlatformRef }),
    environment: t.expose('environment', { type: KeyEnvironmentRef }),
    externalUserId: t.exposeString('external_user_id', { nullable: true }),
    socialAccountId: t.exposeID('social_account_id', { nullable: true }),
    login: t.exposeString('login', { nullable: true }),
    returnUrl: t.exposeString('return_url', { nullable: true }),
    status: t.expose('status', { type: ConnectSessionStatusRef }),
    expiresAt: t.expose('expires_at', { type: 'DateTime' }),
    completedSocialAccountId: t.exposeID('completed_social_account_id', { nullable: true }),
    completedSocialAccountIds: t.exposeIDList('completed_social_account_ids'),
    completedSocialAccounts: t.field({
      type: [AccountRef],
      nullable: true,
      description: 'Accounts that the user connected. Empty until then.',
      async resolve({ completed_social_account_ids: ids }, _args, graphql) {
        const found = await Promise.all(ids.map((id) => accountNodes.load(graphql, id)));
        return found.filter((account) => account !== undefined);
      },
    }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
  }),
});

linkOne(ConnectSessionRef, 'socialAccount', {
  type: AccountRef,
  load: accountNodes.load,
  description: 'Account that the session reconnects. Null if it connects other accounts.',
  idOf: (session) => session.social_account_id,
});

linkOne(ConnectSessionRef, 'completedSocialAccount', {
  type: AccountRef,
  load: accountNodes.load,
  description: 'First account that the user connected. Null until then.',
  idOf: (session) => session.completed_social_account_id,
});

const CreateConnectSessionInput = builder.inputType('CreateConnectSessionInput', {
  fields: (t) => ({
    platform: t.field({ type: PlatformRef }),
    externalUserId: t.string(),
    externalUserEmail: t.string(),
    socialAccountId: t.id(),
    login: t.string(),
    returnUrl: t.string(),
  }),
});

queryOne('connectSession', {
  type: ConnectSessionRef,
  scope: 'accounts:read',
  resource: 'connect session',
  get: getConnectSession,
});

mutationOf('createConnectSession', {
  type: ConnectSessionRef,
  scope: 'accounts:write',
  input: CreateConnectSessionInput,
  schema: CreateConnectSession,
  takesKey: true,
  run: createConnectSession,
});
