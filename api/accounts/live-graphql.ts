// The live stream of connected accounts, in GraphQL.
import { builder, operationCost } from '../graphql/builder.ts';
import { messageOf, resumeArguments } from '../live/message-graphql.ts';
import { openUpdates } from '../live/open-updates.ts';
import { showUpdate } from '../live/updates.ts';
import { AccountRef } from './graphql.ts';
import { getAccount } from './operations.ts';

const AccountUpdate = messageOf('AccountUpdate', {
  field: 'account',
  type: AccountRef,
  gone: 'it is gone',
});

builder.subscriptionField('accountUpdated', (t) =>
  t.field({
    type: AccountUpdate,
    nullable: true,
    description: `Every change of the project's accounts, or of one.
With an id and without \`after\` the first message is the present state.`,
    complexity: operationCost,
    args: { id: t.arg.id({ description: 'Only this account.' }), ...resumeArguments },
    subscribe: (_, { id, after }, graphql) =>
      openUpdates(graphql, {
        scope: 'accounts:read',
        subject: 'account',
        id,
        after,
        get: getAccount,
        read: graphql.subjects.account,
      }),
    resolve: showUpdate,
  }),
);
