// The live stream of webhooks, in GraphQL: how they fare, and what is done with them.
import type { Webhook } from '../../schema/webhooks.ts';
import { builder, operationCost } from '../builder.ts';
import { readId } from '../graphql-operation.ts';
import { openUpdates, showUpdate, type ShownUpdate } from '../live/updates.ts';
import { WebhookRef } from './graphql.ts';
import { getWebhook } from './operations.ts';

const WebhookUpdate = builder.objectRef<ShownUpdate<Webhook>>('WebhookUpdate').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Where to go on: give it as `after`.' }),
    change: t.exposeString('change', {
      description:
        'What happened, such as `failing`, `recovered`, `disabled` or `enabled`. `present`: nothing, this is how it stands.',
    }),
    id: t.exposeID('id', { description: 'Of the webhook, also when it is gone.' }),
    webhook: t.field({
      type: WebhookRef,
      nullable: true,
      description: 'The webhook when this was sent. Null: it is deleted.',
      resolve: (update) => update.subject,
    }),
  }),
});

builder.subscriptionField('webhookUpdated', (t) =>
  t.field({
    type: WebhookUpdate,
    nullable: true,
    description: `Every change of the project's webhooks, or of one.
With an id and without \`after\` the first message is the present state.`,
    complexity: operationCost,
    args: {
      id: t.arg.id({ description: 'Only this webhook.' }),
      after: t.arg.string({
        description: 'A `cursor` of an earlier message: every change since comes first.',
      }),
    },
    subscribe: (_, { id, after }, graphql) =>
      openUpdates<Webhook>(graphql, {
        scope: 'webhooks:read',
        filter: { subject: 'webhook', subjectId: id ?? undefined },
        after,
        readSubject: graphql.subjects.webhook,
        ...(typeof id === 'string'
          ? {
              getPresent: (context, caller) => getWebhook(context, caller, readId('webhook', id)),
            }
          : {}),
      }),
    resolve: showUpdate,
  }),
);
