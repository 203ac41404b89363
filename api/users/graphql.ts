// Users, in GraphQL.
import { ListUsers, type User } from '../../schema/users.ts';
import { toCursor } from '../../schema/wire/listing.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf, pageArguments, pageCost, toConnection } from '../graphql/connections.ts';
import { deleted, mutationOf } from '../graphql/mutations.ts';
import { list, read, readId } from '../graphql/operation.ts';
import { PlatformRef } from '../platforms/graphql.ts';
import { eraseUser, getUser, listUsers } from './operations.ts';

const UserPlatformRef = builder.objectRef<User['platforms'][number]>('UserPlatform').implement({
  fields: (t) => ({
    platform: t.expose('platform', { type: PlatformRef }),
    accountCount: t.exposeInt('account_count'),
  }),
});

const UserRef = builder.objectRef<User>('User').implement({
  fields: (t) => ({
    externalUserId: t.exposeString('external_user_id'),
    externalUserEmail: t.exposeString('external_user_email', { nullable: true }),
    accountCount: t.exposeInt('account_count'),
    reconnectCount: t.exposeInt('reconnect_count'),
    platforms: t.expose('platforms', { type: [UserPlatformRef] }),
    newestAccountId: t.exposeID('newest_account_id'),
  }),
});

builder.queryField('user', (t) =>
  t.field({
    type: UserRef,
    nullable: true,
    complexity: operationCost,
    args: {
      externalUserId: t.arg.string({
        required: true,
        description: 'ID of the user in your system.',
      }),
    },
    resolve: (_, { externalUserId }, graphql) =>
      read(graphql, 'accounts:read', (context, caller) => getUser(context, caller, externalUserId)),
  }),
);

const UserConnection = connectionOf('UserConnection', UserRef);

builder.queryField('users', (t) =>
  t.field({
    type: UserConnection,
    nullable: true,
    complexity: pageCost,
    extensions: { query: ListUsers },
    args: pageArguments,
    resolve: async (_, args, graphql) => {
      const page = await list(graphql, 'accounts:read', ListUsers, args, listUsers);
      return toConnection(page, args.after, ({ newest_account_id: id }) => toCursor(id));
    },
  }),
);

mutationOf('eraseUser', {
  type: 'String',
  scope: 'accounts:write',
  args: builder.args((t) => ({
    externalUserId: t.string({ required: true, description: 'ID of the user in your system.' }),
  })),
  run: (context, caller, _, { args: { externalUserId } }) =>
    deleted(eraseUser(context, caller, readId('user', externalUserId)), externalUserId),
});
