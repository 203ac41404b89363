// What leads to webhooks from other resources, in GraphQL.
import { DeliveryRef } from '../deliveries/graphql.ts';
import { linkOne } from '../graphql/links.ts';
import { ReplayRef } from '../replays/graphql.ts';
import { webhookNodes, WebhookRef } from './graphql.ts';

const link = {
  type: WebhookRef,
  load: webhookNodes.load,
  description: 'Null: it is deleted.',
  idOf: ({ webhook_id }: { webhook_id: string }) => webhook_id,
};

linkOne(DeliveryRef, 'webhook', link);
linkOne(ReplayRef, 'webhook', link);
