// What the pages about webhooks read and follow.
import { graphql, type ResultOf } from '../api/schema.ts';
import type { Followed } from '../api/streams.ts';

export const WebhookRow = graphql(`
  fragment WebhookRow on Webhook {
    id
    name
    url
    status
    active
    events
    environment
    consecutiveFailures
    failingSince
    disabledReason
    lastDeliveryAt
    secretPreview
    createdAt
  }
`);
export type WebhookData = ResultOf<typeof WebhookRow>;

export const WebhookList = graphql(
  `
    query WebhookList($after: String) {
      webhooks(first: 25, after: $after) {
        nodes {
          ...WebhookRow
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [WebhookRow],
);

const WebhookChanges = graphql(
  `
    subscription WebhookChanges($after: String) {
      webhookUpdated(after: $after) {
        cursor
        change
        webhookId
        webhook {
          ...WebhookRow
        }
      }
    }
  `,
  [WebhookRow],
);
export const followWebhooks: readonly Followed[] = [{ document: WebhookChanges }];

export const DeliveryRow = graphql(`
  fragment DeliveryRow on Delivery {
    id
    event
    status
    attemptCount
    lastStatusCode
    lastErrorCode
    nextAttemptAt
    createdAt
    trigger
    postId
    webhookId
  }
`);
export type DeliveryData = ResultOf<typeof DeliveryRow>;

export const OneWebhook = graphql(
  `
    query OneWebhook($id: ID!, $after: String, $status: DeliveryStatus) {
      webhook(id: $id) {
        ...WebhookRow
        deliveries(first: 25, after: $after, status: $status) {
          nodes {
            ...DeliveryRow
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  `,
  [WebhookRow, DeliveryRow],
);

const DeliveryChanges = graphql(
  `
    subscription DeliveryChanges($after: String, $webhookId: ID, $id: ID) {
      deliveryUpdated(after: $after, webhookId: $webhookId, id: $id) {
        cursor
        change
        deliveryId
        delivery {
          ...DeliveryRow
        }
      }
    }
  `,
  [DeliveryRow],
);
export const followDeliveries: readonly Followed[] = [{ document: DeliveryChanges }];
export const followWebhook = (webhookId: string): readonly Followed[] => [
  { document: DeliveryChanges, variables: { webhookId } },
  ...followWebhooks,
];

export const ReplayRow = graphql(`
  fragment ReplayRow on Replay {
    id
    status
    matched
    pending
    delivered
    failed
    skipped
    canceled
    createdAt
    concludedAt
  }
`);
export type ReplayData = ResultOf<typeof ReplayRow>;

export const ReplayList = graphql(
  `
    query ReplayList($webhookId: ID!) {
      replays(webhookId: $webhookId, first: 5) {
        nodes {
          ...ReplayRow
        }
      }
    }
  `,
  [ReplayRow],
);

const ReplayChanges = graphql(
  `
    subscription ReplayChanges($after: String, $webhookId: ID) {
      replayProgress(after: $after, webhookId: $webhookId) {
        cursor
        change
        replayId
        replay {
          ...ReplayRow
        }
      }
    }
  `,
  [ReplayRow],
);
export const followReplays = (webhookId: string): readonly Followed[] => [
  { document: ReplayChanges, variables: { webhookId } },
];

export const OneDelivery = graphql(
  `
    query OneDelivery($id: ID!) {
      delivery(id: $id) {
        ...DeliveryRow
        url
        webhook {
          id
          name
          url
        }
        recordedEvent {
          id
          body
          timestamp
        }
        attempts {
          number
          trigger
          startedAt
          statusCode
          errorCode
          remoteAddress
          requestHeaders
          responseHeaders
          responseBody
          timings {
            dnsMs
            connectMs
            tlsMs
            firstByteMs
            totalMs
          }
        }
      }
    }
  `,
  [DeliveryRow],
);

export const followDelivery = (id: string): readonly Followed[] => [
  { document: DeliveryChanges, variables: { id } },
];
