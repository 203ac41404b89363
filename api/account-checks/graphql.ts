// Checks of accounts, in GraphQL.
import { z } from 'zod';
import {
  AccountCheckStatus,
  CheckNextAction,
  CheckStepName,
  CheckStepStatus,
  type AccountCheck,
  type AccountCheckStep,
} from '../../schema/account-checks.ts';
import { describedEnum } from '../../schema/wire/described-enum.ts';
import { accountNodes, AccountRef } from '../accounts/graphql.ts';
import { builder } from '../graphql/builder.ts';
import { linkOne } from '../graphql/links.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { readId } from '../graphql/operation.ts';
import { queryOne } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { PlatformRef } from '../platforms/graphql.ts';
import { createAccountCheck, findChecks, getAccountCheck } from './operations.ts';

const AccountCheckStepRef = builder.objectRef<AccountCheckStep>('AccountCheckStep').implement({
  fields: (t) => ({
    name: t.expose('name', { type: wordEnum(CheckStepName) }),
    status: t.expose('status', { type: wordEnum(CheckStepStatus) }),
    code: t.exposeString('code', { nullable: true }),
    message: t.exposeString('message', { nullable: true }),
    nextAction: t.expose('next_action', { type: wordEnum(CheckNextAction) }),
    docsUrl: t.exposeString('docs_url', { nullable: true }),
  }),
});

const checkNodes = nodesOf('accounts:read', findChecks);

const AccountCheckRef = builder.objectRef<AccountCheck>('AccountCheck');

builder.node(AccountCheckRef, {
  ...checkNodes.options,
  fields: (t) => ({
    socialAccountId: t.exposeID('social_account_id'),
    platform: t.expose('platform', { type: PlatformRef }),
    status: t.expose('status', { type: wordEnum(AccountCheckStatus) }),
    publishes: t.exposeBoolean('publishes'),
    steps: t.expose('steps', { type: [AccountCheckStepRef] }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    endedAt: t.expose('ended_at', { type: 'DateTime', nullable: true }),
  }),
});

linkOne(AccountCheckRef, 'account', {
  type: AccountRef,
  description: 'Account that is checked.',
  load: accountNodes.load,
  idOf: ({ social_account_id }) => social_account_id,
});

/** `removed` stands for REST's `true`, since a GraphQL enum can't have `true`. */
const AccountCheckPublish = describedEnum(
  'AccountCheckPublish',
  'Whether a check publishes a post.',
  {
    removed: 'Publishes a post where Fanfare can remove it.',
    public: 'Publishes a post, even if it stays.',
  },
);

const CreateAccountCheckInput = builder.inputType('CreateAccountCheckInput', {
  fields: (t) => ({ publish: t.field({ type: wordEnum(AccountCheckPublish) }) }),
});

queryOne('accountCheck', {
  type: AccountCheckRef,
  scope: 'accounts:read',
  resource: 'check',
  get: getAccountCheck,
});

mutationOf('createAccountCheck', {
  type: AccountCheckRef,
  scope: 'accounts:write',
  args: builder.args((t) => ({
    accountId: t.id({ required: true, description: 'ID of the account.' }),
  })),
  input: CreateAccountCheckInput,
  isInputOptional: true,
  schema: z.strictObject({ publish: AccountCheckPublish.optional() }),
  takesKey: true,
  run: (context, caller, { publish }, { args }) =>
    createAccountCheck(context, caller, readId('account', args.accountId), {
      publish: publish === 'removed' ? true : publish,
    }),
});
