// What can be done with webhooks and deliveries.
import { graphql } from '../api/schema.ts';
import { WebhookRow } from './webhook-documents.ts';

export const CreateWebhook = graphql(
  `
    mutation CreateWebhook($input: CreateWebhookInput!) {
      createWebhook(input: $input) {
        secret
        webhook {
          ...WebhookRow
        }
      }
    }
  `,
  [WebhookRow],
);
export const UpdateWebhook = graphql(
  `
    mutation UpdateWebhook($id: ID!, $input: UpdateWebhookInput!) {
      updateWebhook(id: $id, input: $input) {
        ...WebhookRow
      }
    }
  `,
  [WebhookRow],
);
export const DeleteWebhook = graphql(`
  mutation DeleteWebhook($id: ID!) {
    deleteWebhook(id: $id)
  }
`);
export const RotateWebhook = graphql(`
  mutation RotateWebhook($id: ID!) {
    rotateWebhook(id: $id) {
      secret
      webhook {
        id
        secretPreview
      }
    }
  }
`);
export const TestWebhook = graphql(`
  mutation TestWebhook($id: ID!, $input: TestWebhookInput) {
    testWebhook(id: $id, input: $input) {
      id
      status
    }
  }
`);
export const RetryDelivery = graphql(`
  mutation RetryDelivery($id: ID!) {
    retryDelivery(id: $id) {
      notice
      delivery {
        id
        status
        attemptCount
        nextAttemptAt
      }
    }
  }
`);
export const ReplayDeliveries = graphql(`
  mutation ReplayDeliveries($webhookId: ID!, $input: ReplayDeliveriesInput!) {
    replayDeliveries(webhookId: $webhookId, input: $input) {
      matched
      replayId
    }
  }
`);
