// Names, IDs and inputs of the workflows. Workflows import this file, so it imports neither zod nor `node:`
// modules.

export const publishPostWorkflow = 'publishPost';
export const publishPostsWorkflow = 'publishPosts';
export const deliverEventsWorkflow = 'deliverEvents';
export const retryDeliveryWorkflow = 'retryDelivery';
export const replayDeliveriesWorkflow = 'replayDeliveries';
export const pruneRecordsWorkflow = 'pruneRecords';
export const refreshLoginsWorkflow = 'refreshLogins';
export const fetchMediaWorkflow = 'fetchMedia';
export const checkAccountWorkflow = 'checkAccount';
export const changeResultWorkflow = 'changeResult';
export const followResultWorkflow = 'followResult';
export const wakeResultWorkflow = 'wakeResult';

export interface PublishPostInput {
  postId: string;
  run: number;
}

/** Posts per group: few enough to read and advance in one activity. */
export const maxGroupSize = 200;

export interface PublishPostsInput {
  posts: PublishPostInput[];
  /** IDs of the posts that earlier runs of this workflow have ended. */
  ended?: string[];
}

/** IDs of the posts that the workflow has ended. If such a post is open again, Postgres was restored. */
export interface PublishPostsResult {
  ended: string[];
}

/** The posts of a group after an activity. A post that is in no list has another run or workflow by now. */
export interface AdvancedPosts {
  /** IDs of posts whose run is over. */
  ended: string[];
  waiting: WaitingPost[];
  slow: SlowPost[];
}

/** `waitMs`: time from the end of the activity until the post's next step. */
export interface WaitingPost extends PublishPostInput {
  waitMs: number;
}

/** A call of the post takes long, so each target continues in an activity of its own. */
export interface SlowPost extends PublishPostInput {
  targets: BegunTarget[];
}

/** The queue for advances of projects with a full share of calls. Every worker serves it with a few slots. */
export const crowdedQueueOf = (taskQueue: string): string => `${taskQueue}-crowded`;

/** A target of a run. `after`: a target of the same run that must end first. */
export interface ClaimedTarget {
  resultId: string;
  after?: string;
}

/** A scheduled post isn't due yet by the database's clock. */
export interface NotDue {
  waitMs: number;
}

/** Without `progress`, the target is still in progress, or waits for the target in `after`. */
export interface BegunTarget extends ClaimedTarget {
  progress?: TargetProgress | undefined;
}

/** Milliseconds until the target's next step. Null: this run has no more steps for it. */
export interface TargetProgress {
  waitMs: number | null;
  /** The project has its full share of calls in this worker, so the next step waits in the crowded queue. */
  isCrowded?: boolean;
  /** The target was the last one and has ended the run. */
  isConcluded?: boolean;
}

/** Deliveries per batch: few enough to read and attempt in one batch run. */
export const maxBatchSize = 500;

export interface DeliverEventsInput {
  batchId: string;
  /** Default: every unfinished delivery of the batch. */
  deliveryIds?: string[] | undefined;
  /** The batch of failing webhooks, whose receivers may use their whole timeout. */
  isFailing?: boolean;
}

/** One delivery in the response of `deliverEvents` to the query `deliveries`. */
export interface WaitingDelivery {
  deliveryId: string;
  attemptCount: number;
  /** Milliseconds since the epoch, by the database's clock. */
  dueAtMs: number;
  /** Time from the end of the batch run until `dueAtMs`. */
  waitMs: number;
}

export const deliveriesQuery = 'deliveries';

/** One attempt now, in addition to the schedule. */
export interface RetryDeliveryInput {
  deliveryId: string;
}

export interface ReplayDeliveriesInput {
  replayId: string;
}

/** How far a pruning run has come. */
export interface PruneRecordsInput {
  /** Events up to this ID have been checked. */
  after: string;
  /** Default: no account has been checked. Null: every account has been checked. */
  erasure?: ErasurePosition | null;
}

/** How far the erasure of disconnected accounts has come. */
export interface ErasurePosition {
  accountId: string;
  /** The account's results up to this ID have been checked. Null: all of them. */
  resultId: string | null;
}

/** A group of logins that are due for a refresh. */
export interface RefreshDueInput {
  /** Names of networks, or `<project>/<network>`. Their logins wait for the next run. */
  except: string[];
}

export interface RefreshDueProgress {
  isLeft: boolean;
  /** Names, as in `except`, for which every refresh of the group failed or took too long. */
  away: string[];
}

export interface FetchMediaInput {
  mediaId: string;
}

export interface CheckAccountInput {
  checkId: string;
}

export interface ChangeResultInput {
  changeId: string;
}

export interface FollowResultInput {
  resultId: string;
}

/** `run`: the run that publishes the target. Absent: the target is published. */
export interface WakeResultInput {
  resultId: string;
  run?: number;
}

export function wakeResultWorkflowId(resultId: string, outboxId: string): string {
  return `wake/${resultId}/${outboxId}`;
}

export function followResultWorkflowId(resultId: string, outboxId: string): string {
  return `follow/${resultId}/${outboxId}`;
}

export function changeResultWorkflowId(changeId: string, outboxId: string): string {
  return `change/${changeId}/${outboxId}`;
}

export function checkAccountWorkflowId(checkId: string, outboxId: string): string {
  return `check/${checkId}/${outboxId}`;
}

export function fetchMediaWorkflowId(mediaId: string, outboxId: string): string {
  return `media/${mediaId}/${outboxId}`;
}

export function publishPostWorkflowId(postId: string, outboxId: string): string {
  return `post/${postId}/${outboxId}`;
}

export function publishPostsWorkflowId(outboxId: string): string {
  return `posts/${outboxId}`;
}

export function retryDeliveryWorkflowId(deliveryId: string, outboxId: string): string {
  return `retry/${deliveryId}/${outboxId}`;
}

export function replayDeliveriesWorkflowId(replayId: string, outboxId: string): string {
  return `replay/${replayId}/${outboxId}`;
}

/** Installations that share a namespace have different task queues. */
export function pruneScheduleId(taskQueue: string): string {
  return `prune-records/${taskQueue}`;
}

export function refreshScheduleId(taskQueue: string): string {
  return `refresh-logins/${taskQueue}`;
}

export function deliverEventsWorkflowId(batchId: string): string {
  return `deliveries/${batchId}`;
}
