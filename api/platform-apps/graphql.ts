// A project's own apps at networks, in GraphQL.
import {
  AppApproval,
  DeletePlatformApp,
  SetPlatformApp,
  type AppCallbackUrls,
  type PlatformApp,
} from '../../schema/platform-apps.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { read } from '../graphql/operation.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { PlatformRef } from '../platforms/graphql.ts';
import {
  deletePlatformApp,
  getPlatformApp,
  listPlatformApps,
  setPlatformApp,
} from './operations.ts';

const AppApprovalRef = wordEnum(AppApproval);

const AppCallbackUrlsRef = builder.objectRef<AppCallbackUrls>('AppCallbackUrls').implement({
  fields: (t) => ({
    redirect: t.exposeString('redirect'),
    deauthorize: t.exposeString('deauthorize', { nullable: true }),
    dataDeletion: t.exposeString('data_deletion', { nullable: true }),
    webhook: t.exposeString('webhook', { nullable: true }),
  }),
});

const PlatformAppRef = builder.objectRef<PlatformApp>('PlatformApp').implement({
  fields: (t) => ({
    platform: t.expose('platform', { type: PlatformRef }),
    clientId: t.exposeString('client_id'),
    hasClientSecret: t.exposeBoolean('has_client_secret'),
    settings: t.expose('settings', { type: 'JSON' }),
    callbackUrls: t.expose('callback_urls', { type: AppCallbackUrlsRef }),
    approval: t.expose('approval', { type: AppApprovalRef }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime' }),
  }),
});

const SetPlatformAppInput = builder.inputType('SetPlatformAppInput', {
  fields: (t) => ({
    clientId: t.string({ required: true }),
    clientSecret: t.string(),
    settings: t.field({ type: 'JSON' }),
  }),
});

const platformArgument = builder.args((t) => ({
  platform: t.field({ type: PlatformRef, required: true, description: 'Network of the app.' }),
}));

builder.queryFields((t) => ({
  platformApps: t.field({
    type: [PlatformAppRef],
    nullable: true,
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, 'accounts:read', async (context, caller) => {
        return (await listPlatformApps(context, caller)).data;
      }),
  }),
  platformApp: t.field({
    type: PlatformAppRef,
    nullable: true,
    complexity: operationCost,
    args: platformArgument,
    resolve: (_, { platform }, graphql) =>
      read(graphql, 'accounts:read', (context, caller) =>
        getPlatformApp(context, caller, platform),
      ),
  }),
}));

mutationOf('setPlatformApp', {
  type: PlatformAppRef,
  scope: 'accounts:write',
  description:
    "Set your own app at a network. Users who connect an account then give their consent to your app instead of the operator's. Accounts that are connected stay with the app that connected them. Refused with the issue `app_not_supported` at a network that takes no app.",
  args: platformArgument,
  input: SetPlatformAppInput,
  schema: SetPlatformApp,
  run: (context, caller, input, { args }) => setPlatformApp(context, caller, args.platform, input),
});

mutationOf('deletePlatformApp', {
  type: PlatformRef,
  scope: 'accounts:write',
  args: { ...platformArgument, ...builder.args((t) => ({ force: t.boolean() })) },
  query: DeletePlatformApp,
  async run(context, caller, _, { args: { platform, force } }) {
    const query = { force: force ?? false };
    const { status } = await deletePlatformApp(context, caller, platform, query);
    return { status, data: platform };
  },
});
