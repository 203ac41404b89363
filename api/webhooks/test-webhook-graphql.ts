// Test events, in GraphQL.
import { TestWebhook } from '../../schema/webhooks.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { DeliveryRef } from '../deliveries/graphql.ts';
import { EventTypeRef } from '../events/graphql.ts';
import { readId, write } from '../graphql/operation.ts';
import { idArguments, idempotencyArguments } from '../graphql/shapes.ts';
import { testWebhook } from './test-webhook.ts';

const TestWebhookInput = builder.inputType('TestWebhookInput', {
  fields: (t) => ({
    event: t.field({
      type: EventTypeRef,
      description: 'Any kind. Default: the first that the webhook is subscribed to.',
    }),
  }),
});

builder.mutationField('testWebhook', (t) =>
  t.field({
    type: DeliveryRef,
    nullable: true,
    description: 'Sends a test event, also to a disabled webhook. It is attempted once.',
    complexity: operationCost,
    args: {
      ...idArguments,
      input: t.arg({ type: TestWebhookInput }),
      ...idempotencyArguments,
    },
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'webhooks:write', schema: TestWebhook, args, info },
        (context, caller, input) => testWebhook(context, caller, readId('webhook', args.id), input),
      ),
  }),
);
