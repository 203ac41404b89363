// The names and inputs of the workflows: what the relay starts and the worker runs. Sandbox-safe.

export const publishPostWorkflow = 'publishPost';
export const deliverEventsWorkflow = 'deliverEvents';
export const retryDeliveryWorkflow = 'retryDelivery';
export const replayDeliveriesWorkflow = 'replayDeliveries';
export const pruneRecordsWorkflow = 'pruneRecords';

export interface PublishPostInput {
  postId: string;
  run: number;
  /** Begins in its first task. Absent in what earlier releases asked for; a patch marker would cost a write. */
  isShort?: boolean;
}

/** A target that a run carries. `after`: one of the same run that must have ended before. */
export interface ClaimedTarget {
  resultId: string;
  after?: string;
}

/** A scheduled post's workflow came early, by the clock of the database. */
export interface NotDue {
  waitMs: number;
}

/** `progress` absent: it is under way still, or waits for the one before. */
export interface BegunTarget extends ClaimedTarget {
  progress?: TargetProgress | undefined;
}

/** Milliseconds until the target wants to be advanced again; null once this run does no more for it. */
export interface TargetProgress {
  waitMs: number | null;
  /** The target was the last one, and the run has ended with it. */
  isConcluded?: boolean;
}

/** Deliveries that one workflow carries: few enough to be read and attempted in one round. */
export const maxBatchSize = 500;

export interface DeliverEventsInput {
  batchId: string;
  /** Those of the batch that are meant; without them all. The rows tell which, so a burst's start stays small. */
  deliveryIds?: string[] | undefined;
  /** The batch of a webhook that is failing: its receivers may take their whole time. */
  isFailing?: boolean;
}

/** What the query `deliveries` of a running `deliverEvents` answers, per delivery. */
export interface WaitingDelivery {
  deliveryId: string;
  attemptCount: number;
  /** Milliseconds since the epoch; null once the delivery has concluded. */
  dueAtMs: number | null;
  /** From the end of the round until then. Absent in what earlier releases answered. */
  waitMs?: number;
}

export const deliveriesQuery = 'deliveries';

/** One attempt beside the schedule, now. */
export interface RetryDeliveryInput {
  deliveryId: string;
}

export interface ReplayDeliveriesInput {
  replayId: string;
}

/** How far a run has come. */
export interface PruneRecordsInput {
  /** Events up to this id have been looked at. */
  after: string;
}

export function publishPostWorkflowId(postId: string, outboxId: string): string {
  return `post/${postId}/${outboxId}`;
}

export function retryDeliveryWorkflowId(deliveryId: string, outboxId: string): string {
  return `retry/${deliveryId}/${outboxId}`;
}

export function replayDeliveriesWorkflowId(replayId: string, outboxId: string): string {
  return `replay/${replayId}/${outboxId}`;
}

/** Installations that share a namespace have task queues of their own. */
export function pruneScheduleId(taskQueue: string): string {
  return `prune-records/${taskQueue}`;
}

export function deliverEventsWorkflowId(batchId: string): string {
  return `deliveries/${batchId}`;
}
