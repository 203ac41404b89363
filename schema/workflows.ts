// The names and inputs of the workflows: what the relay starts and the worker runs. Sandbox-safe.

export const publishPostWorkflow = 'publishPost';
export const deliverEventsWorkflow = 'deliverEvents';
export const retryDeliveryWorkflow = 'retryDelivery';
export const replayDeliveriesWorkflow = 'replayDeliveries';
export const pruneRecordsWorkflow = 'pruneRecords';

export interface PublishPostInput {
  postId: string;
  run: number;
}

/** Deliveries that one workflow carries: few enough for one row of Temporal's history. */
export const maxBatchSize = 200;

export interface DeliverEventsInput {
  batchId: string;
  deliveryIds: string[];
  /** The batch of a webhook that is failing: its receivers may take their whole time. */
  isFailing?: boolean;
}

/** What the query `deliveries` of a running `deliverEvents` answers, per delivery. */
export interface WaitingDelivery {
  deliveryId: string;
  attemptCount: number;
  /** Milliseconds since the epoch; null once the delivery has concluded. */
  dueAtMs: number | null;
}

export const deliveriesQuery = 'deliveries';

/** One attempt beside the schedule, now. */
export interface RetryDeliveryInput {
  deliveryId: string;
}

export interface ReplayDeliveriesInput {
  replayId: string;
}

export function publishPostWorkflowId(postId: string, outboxId: string): string {
  return `post/${postId}/${outboxId}`;
}

export function retryDeliveryWorkflowId(deliveryId: string, outboxId: string): string {
  return `retry/${deliveryId}/${outboxId}`;
}

export function replayDeliveriesWorkflowId(replayId: string): string {
  return `replay/${replayId}`;
}

export function deliverEventsWorkflowId(batchId: string): string {
  return `deliveries/${batchId}`;
}
