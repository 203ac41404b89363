// The live stream of webhooks, in GraphQL: how they fare, and what is done with them.
import { builder, operationCost } from '../graphql/builder.ts';
import { messageOf, resumeArguments } from '../live/message-graphql.ts';
import { openUpdates } from '../live/open-updates.ts';
import { showUpdate } from '../live/updates.ts';
import { WebhookRef } from './graphql.ts';
import { getWebhook } from './operations.ts';

const WebhookUpdate = messageOf('WebhookUpdate', {
  field: 'webhook',
  type: WebhookRef,
  gone: 'it is deleted',
});

builder.subscriptionField('webhookUpdated', (t) =>
  t.field({
    type: WebhookUpdate,
    nullable: true,
    description: `Every change of the project's webhooks, or of one.
With an id and without \`after\` the first message is the present state.`,
    complexity: operationCost,
    args: { id: t.arg.id({ description: 'Only this webhook.' }), ...resumeArguments },
    subscribe: (_, { id, after }, graphql) =>
      openUpdates(graphql, {
        scope: 'webhooks:read',
        subject: 'webhook',
        id,
        after,
        get: getWebhook,
        read: graphql.subjects.webhook,
      }),
    resolve: showUpdate,
  }),
);
