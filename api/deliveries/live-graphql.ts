// The live stream of deliveries, in GraphQL.
import type { Delivery } from '../../schema/deliveries.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { messageOf, resumeArguments } from '../live/message-graphql.ts';
import { openUpdates } from '../live/open-updates.ts';
import { showUpdate } from '../live/updates.ts';
import { getPost } from '../posts/read-posts.ts';
import { getWebhook } from '../webhooks/operations.ts';
import { DeliveryRef, DeliveryStatusRef } from './graphql.ts';
import { getDelivery } from './operations.ts';

const DeliveryUpdate = messageOf('DeliveryUpdate', {
  field: 'delivery',
  type: DeliveryRef,
  gone: 'it is no longer kept',
});

builder.subscriptionField('deliveryUpdated', (t) =>
  t.field({
    type: DeliveryUpdate,
    nullable: true,
    description: `Every change of the project's deliveries, or of those that pass every filter.
With an id and without \`after\` the first message is the present state, if that passes too.`,
    complexity: operationCost,
    args: {
      id: t.arg.id({ description: 'Only this delivery.' }),
      webhookId: t.arg.id({ description: 'Only deliveries of this webhook.' }),
      postId: t.arg.id({ description: 'Only deliveries of the events of this post.' }),
      status: t.arg({
        type: DeliveryStatusRef,
        description: 'Only deliveries that stand so when the change is told.',
      }),
      ...resumeArguments,
    },
    subscribe: (_, { id, webhookId, postId, status, after }, graphql) => {
      const isWanted = (delivery: Delivery) =>
        (webhookId ?? delivery.webhook_id) === delivery.webhook_id &&
        (postId ?? delivery.post_id) === delivery.post_id &&
        (status ?? delivery.status) === delivery.status;
      return openUpdates(graphql, {
        scope: 'webhooks:read',
        subject: 'delivery',
        id,
        after,
        get: getDelivery,
        read: graphql.subjects.delivery,
        within: [
          { scope: 'webhooks:read', subject: 'webhook', id: webhookId, get: getWebhook },
          { scope: 'posts:read', subject: 'post', id: postId, get: getPost },
        ],
        isWanted: (webhookId ?? postId ?? status) == null ? undefined : isWanted,
      });
    },
    resolve: showUpdate,
  }),
);
