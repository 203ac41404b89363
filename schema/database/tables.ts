// The tables and their rows, spelled as SQL spells them. Written by hand: a generator would know neither the type of one
// column in five (enums, shapes of JSON, types of writes) nor the comments. A test compares them with the database.
import type {
  ColumnType,
  Generated,
  GeneratedAlways,
  Kysely,
  Selectable,
  Transaction as KyselyTransaction,
} from 'kysely';
import type { AccountCheckStatus, StoredStep } from '../account-checks.ts';
import type { Actor } from '../wire/actors.ts';
import type { AccountStatus, ConnectionType, ConnectSessionStatus } from '../accounts.ts';
import type { KeyEnvironment } from '../api-keys.ts';
import type { AppApproval } from '../platform-apps.ts';
import type { MediaErrorCode, MediaKind, MediaStatus } from '../media.ts';
import type { AttemptTrigger, DeliveryStatus, DeliveryTrigger, Timings } from '../deliveries.ts';
import type { ChangeSubject } from '../change-kinds.ts';
import type { EventType } from '../event-types.ts';
import type { Traits } from '../platforms/definition.ts';
import type { PlatformName } from '../platforms/index.ts';
import type { AttemptOutcome } from '../posts/attempts.ts';
import type { NextAction } from '../posts/next-action.ts';
import type { FailureStage, Phase, PostStatus, ResultStatus } from '../posts/posts.ts';
import type { PostSchedule } from '../posts/schedule.ts';
import type { ChangedContent, ChangeStatus, ChangeType } from '../posts/result-changes.ts';
import type { WeeklySlot } from '../queues.ts';
import type { Scope } from '../scopes.ts';
import type { ReplayedStatus, ReplayStatus } from '../replays.ts';
import type { DisabledReason, WebhookStatus } from '../webhooks.ts';
import type { Channel } from './notifier.ts';

/**
 * A jsonb column. pg parses its values when it reads. Writes need text, because pg turns arrays into SQL
 * arrays.
 */
type Json<T> = ColumnType<T, string | undefined, string>;
type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface Database {
  projects: ProjectTable;
  project_logos: ProjectLogoTable;
  api_keys: ApiKeyTable;
  dashboard_sessions: DashboardSessionTable;
  platform_apps: PlatformAppTable;
  grants: GrantTable;
  revocations: RevocationTable;
  social_accounts: SocialAccountTable;
  account_checks: AccountCheckTable;
  connect_sessions: ConnectSessionTable;
  data_deletions: DataDeletionTable;
  choice_lists: ChoiceListTable;
  choices: ChoiceTable;
  posts: PostTable;
  queues: QueueTable;
  queue_slots: QueueSlotTable;
  post_results: PostResultTable;
  result_changes: ResultChangeTable;
  review_links: ReviewLinkTable;
  media: MediaTable;
  media_segments: MediaSegmentTable;
  media_uses: { media_id: string; post_id: string };
  media_stores: { id: Generated<boolean>; store_id: string; is_marked: Generated<boolean> };
  post_attempts: PostAttemptTable;
  events: EventTable;
  webhook_subscriptions: WebhookTable;
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
  replays: ReplayTable;
  restores: { id: Generated<boolean>; restored_at: Date };
  rate_limits: RateLimitTable;
  account_usage: AccountUsageTable;
  sending_pauses: SendingPauseTable;
  migration_versions: MigrationVersionTable;
  outbox: OutboxTable;
  sweeps: { swept_at: Date; zone_data: Generated<string>; zones_compared_at: Generated<Date> };
  changes: ChangeTable;
  feed_epoch: FeedEpochTable;
  idempotency_keys: IdempotencyKeyTable;
  vault_keys: { id: string; check_value: Buffer };
  activity_failures: ActivityFailureTable;
  sandbox_posts: SandboxPostTable;
  sandbox_media: SandboxMediaTable;
  sandbox_media_parts: { media_id: string; start_byte: number; bytes: Buffer };
  sandbox_refusals: { reference: string; count: number; created_at: Generated<Date> };
  sandbox_grants: SandboxGrantTable;
}

export type Db = Kysely<Database>;
/** Opened by `inTransaction`. Functions with several statements take a Transaction instead of a `Db`. */
export type Transaction = KyselyTransaction<Database> & {
  notifyAfterCommit(channel: Channel): void;
};
/** Runs a statement, in a transaction or by itself, and sends notifications after the commit. */
export type Writer = Pick<Transaction, 'getExecutor' | 'notifyAfterCommit'>;

interface ProjectTable {
  id: string;
  name: string;
  brand_color: string | null;
  /** The media that the logo is a copy of. They may be deleted. */
  logo_media_id: string | null;
  dark_logo_media_id: string | null;
  privacy_url: string | null;
  terms_url: string | null;
  support_url: string | null;
  return_origins: Generated<string[]>;
  monthly_posts_per_account: number | null;
  /** Seconds from the due time of a post to its deadline, if the post has no `publish_by`. */
  publish_within_s: number | null;
  created_at: Generated<Date>;
}
export type ProjectRow = Selectable<ProjectTable>;

export type LogoTheme = 'light' | 'dark';

interface ProjectLogoTable {
  project_id: string;
  theme: LogoTheme;
  png: Buffer;
  width: number;
  height: number;
}
export type ProjectLogoRow = Selectable<ProjectLogoTable>;

interface ApiKeyTable {
  id: string;
  project_id: string;
  name: string;
  hash: Buffer;
  prefix: string;
  scopes: Scope[];
  environment: KeyEnvironment;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Generated<Date>;
}
export type ApiKeyRow = Selectable<ApiKeyTable>;

/** A browser that is signed in to the dashboard. */
interface DashboardSessionTable {
  id: string;
  key_id: string;
  /** SHA-256 of the cookie's value. */
  hash: Buffer;
  expires_at: Date;
  created_at: Generated<Date>;
}

/** A client that is registered at a network. */
interface PlatformAppTable {
  id: string;
  /** Null: the app is the operator's. */
  project_id: string | null;
  platform: PlatformName;
  environment: GeneratedAlways<KeyEnvironment>;
  /** The server that knows the client, for networks of many servers. Empty for all others. */
  instance: Generated<string>;
  client_id: string;
  /** Sealed by the vault; null if the client has none. */
  client_secret: Buffer | null;
  client_secret_key_id: string | null;
  /** Described by `appSettings` of the network. Null: the app has none, or is the operator's. */
  settings: JsonOrNull<Record<string, string>>;
  approval: Generated<AppApproval>;
  /** Names the app in the addresses that its network calls. It can't be guessed. */
  inbound_key: string;
  /** When an event last reported that the app has no credits left at the network. */
  credits_exhausted_at: Date | null;
  created_at: Generated<Date>;
  /** When the app was last set. New consents of a project use the app that was set most recently. */
  updated_at: Generated<Date>;
}
export type PlatformAppRow = Selectable<PlatformAppTable>;

/** One login at a network, shared by the accounts that it was granted for. */
interface GrantTable {
  id: string;
  project_id: string;
  platform: PlatformName;
  /** The app that made the login. Null: no app did. */
  app_id: string | null;
  /** Sealed by the vault; null once the network has ended the login. */
  credentials: Buffer | null;
  credentials_key_id: string | null;
  credential_version: Generated<number>;
  token_expires_at: Date | null;
  /**
   * When a schedule refreshes the login. Null: the login doesn't expire, has ended, or can't be refreshed.
   */
  refresh_at: Date | null;
  /** Refreshes that failed since the last one that succeeded. */
  refresh_failures: Generated<number>;
  /** When a schedule asks whether the login works. Null: it is refreshed, has ended, or can't be checked. */
  check_at: Date | null;
  /** When the next warning of the login's end is due. Null: no warning is left, or the login is refreshed. */
  expiry_warning_at: Date | null;
  /** The app that made the login was deleted, which ended the login. */
  has_lost_app: Generated<boolean>;
  refresh_lease_id: string | null;
  refresh_lease_until: Date | null;
  created_at: Generated<Date>;
}
export type GrantRow = Selectable<GrantTable>;

interface RevocationTable {
  /** ID of the grant, or a new ID for a login that has no grant. */
  id: string;
  project_id: string;
  platform: PlatformName;
  expires_at: Date;
}
export type RevocationRow = Selectable<RevocationTable>;

interface SocialAccountTable {
  id: string;
  project_id: string;
  /** Null: disconnected. */
  grant_id: string | null;
  platform: PlatformName;
  account_name: string;
  /** The client's name for the account. */
  display_name: string | null;
  /** Where the network showed the picture when the account was connected. */
  picture_url: string | null;
  external_account_id: string;
  external_user_id: string | null;
  external_user_email: string | null;
  connection_type: ConnectionType;
  environment: GeneratedAlways<KeyEnvironment>;
  status: AccountStatus;
  scope: Generated<string[]>;
  /** What distinguishes the account from others of its network. */
  traits: Json<Traits>;
  /** Options that the account's posts get where they don't set these options themselves. */
  default_options: Json<Record<string, unknown>>;
  connected_at: Generated<Date>;
  disconnected_at: Date | null;
  /** When the remaining data of the account is erased. Null: it is connected, or everything is erased. */
  erase_at: Date | null;
  /** The account's name, user and IDs are erased, so it can never be connected again. */
  is_erased: Generated<boolean>;
}
export type SocialAccountRow = Selectable<SocialAccountTable>;

interface AccountCheckTable {
  id: string;
  project_id: string;
  social_account_id: string;
  platform: PlatformName;
  environment: GeneratedAlways<KeyEnvironment>;
  status: AccountCheckStatus;
  publishes: boolean;
  steps: Json<StoredStep[]>;
  /** Replaces the ID of a result, by which some networks find a post. */
  result_id: string;
  /** What one step leaves for the next, sealed by the vault. Null: nothing. */
  progress: Buffer | null;
  progress_key_id: string | null;
  /** Grows with each write, so that an execution that was replaced writes nothing. */
  version: Generated<number>;
  /** The month in whose usage the check's post counts. Null: the post doesn't count. */
  usage_month: string | null;
  /** The workflow that runs the steps of the check. */
  workflow_id: string;
  progressed_at: Generated<Date>;
  created_at: Generated<Date>;
  ended_at: Date | null;
}
export type AccountCheckRow = Selectable<AccountCheckTable>;

interface ConnectSessionTable {
  id: string;
  project_id: string;
  environment: KeyEnvironment;
  platform: PlatformName;
  /** Null only if the session reconnects an account that has no user. */
  external_user_id: string | null;
  external_user_email: string | null;
  /** The account to reconnect. Null: the user chooses the accounts. */
  social_account_id: string | null;
  /** Name of the only login that the session's page offers. Null: the page offers all logins. */
  login: string | null;
  return_url: string | null;
  status: ConnectSessionStatus;
  token_hash: Buffer;
  expires_at: Date;
  completed_social_account_ids: Generated<string[]>;
  /** What one page leaves for the next, sealed by the vault. Null: nothing. */
  flow: Buffer | null;
  flow_key_id: string | null;
  created_at: Generated<Date>;
}
export type ConnectSessionRow = Selectable<ConnectSessionTable>;

/** A link to the hosted page on which a creator reviews a post. */
interface ReviewLinkTable {
  id: string;
  project_id: string;
  post_id: string;
  /** The account that the creator publishes for. */
  social_account_id: string;
  token_hash: Buffer;
  expires_at: Date;
  /** When the creator published or scheduled the post. Null: not yet. */
  used_at: Date | null;
  created_at: Generated<Date>;
}
export type ReviewLinkRow = Selectable<ReviewLinkTable>;

/**
 * A user's request at a network to have their data deleted. No column has an ID of the user at the network.
 */
interface DataDeletionTable {
  /** Names the deletion in the URL of its page. The code can't be guessed. */
  code: string;
  /** Project of the app. Null: the app is the operator's. */
  project_id: string | null;
  app_id: string;
  /** The user's accounts. Empty: no account was found, or all of them are erased. */
  social_account_ids: Generated<string[]>;
  received_at: Generated<Date>;
  /** When all that the accounts left behind was erased. */
  erased_at: Date | null;
}
export type DataDeletionRow = Selectable<DataDeletionTable>;
/** A list that a network gave for an account. */
interface ChoiceListTable {
  social_account_id: string;
  kind: string;
  /** False: the list was cut. */
  is_complete: boolean;
  fetched_at: Date;
}

interface ChoiceTable {
  social_account_id: string;
  kind: string;
  position: number;
  id: string;
  name: string;
  description: string | null;
  url: string | null;
  image_url: string | null;
  parent_id: string | null;
  disabled_reason: string | null;
}
export type ChoiceRow = Selectable<ChoiceTable>;

interface PostTable {
  id: string;
  project_id: string;
  /** `test`: every target is an account of the sandbox. */
  environment: KeyEnvironment;
  caption: string;
  status: PostStatus;
  scheduled_at: Date | null;
  /** The local time of `scheduled_at`. Null: it was given with an offset. */
  schedule: JsonOrNull<PostSchedule>;
  /** A target that has not begun by this time is never sent. */
  publish_by: Date | null;
  /** The queue that gave the post its `scheduled_at`. It may have been deleted. */
  queue_id: string | null;
  published_at: Date | null;
  media: Json<MediaItem[]>;
  /** Whether images are fitted to the rules of a network. */
  auto_fit: Generated<boolean>;
  metadata: Json<Record<string, string>>;
  labels: Generated<string[]>;
  /** Null: Fanfare itself. */
  created_by: JsonOrNull<Actor>;
  /** The run that may start. A reschedule, a publish-now and a retry each create a new run. */
  current_run: Generated<number>;
  started_run: Generated<number>;
  concluded_run: Generated<number>;
  /** The workflow of the current run; null for a draft. */
  workflow_id: string | null;
  created_at: Generated<Date>;
  /** The scheduled time, or when immediate publication was requested; null for a draft. */
  due_at: Date | null;
  /** When the current run was due. A retry is due when it is requested. */
  run_due_at: Generated<Date>;
  /** The record is deleted once no target is public. */
  is_removing: Generated<boolean>;
  /** When the sweeper found that the workflow is ahead of the row, because the database had been restored. */
  restored_at: Date | null;
  progressed_at: Generated<Date>;
  /** A trigger increases the revision with each change that clients can see. */
  revision: Generated<number>;
  updated_at: Generated<Date>;
}
export type PostRow = Selectable<PostTable>;

interface QueueTable {
  id: string;
  project_id: string;
  /** `test`: every account is an account of the sandbox. */
  environment: KeyEnvironment;
  name: string;
  timezone: string;
  account_ids: string[];
  slots: Json<WeeklySlot[]>;
  is_paused: boolean;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
export type QueueRow = Selectable<QueueTable>;

/** A slot that a post has. */
interface QueueSlotTable {
  queue_id: string;
  at: Date;
  post_id: string;
}
export type QueueSlotRow = Selectable<QueueSlotTable>;

/** A target's retries and waits, kept in its row so that a new workflow can continue. */
export interface ClockState {
  unavailable?: number;
  /** When the first step of this prepare began. After a pause, the time starts again. */
  prepareSinceMs?: number;
  /** How often the network no longer had what was prepared. */
  stale?: number;
  rateLimitedSinceMs?: number;
  /** Calls in a row that the network refused because of a rate limit. */
  rateLimits?: number;
  /** When the network first refused because of the quota of the account. */
  quotaSinceMs?: number;
  /** The app of the account has no credits left at the network. */
  isOutOfCredits?: true;
  /** The last wait for media. Absent: the target does not wait for them. */
  mediaDelayMs?: number;
  confirmSinceMs?: number;
  confirmDelayMs?: number;
  reconcileChecks?: number;
  /** The answer to a commit was lost, whatever the checks found since. */
  hasLostCommit?: true;
  /** When the first commit with an unknown outcome began. */
  unprovenSinceMs?: number;
  /** After a restore of the database: the phase to continue with if the post is absent. */
  check?: {
    phase: 'prepare' | 'commit';
    mayBePublic: boolean;
    /** The client has requested a retry after the restore. */
    isRetry?: true;
  };
  /** The slot that was reserved: under the operator's ceiling, or behind the account's other targets. */
  slotAtMs?: number;
  /** The wait that the log named last. */
  loggedWait?: string;
}

interface PostResultTable {
  id: string;
  post_id: string;
  project_id: string;
  position: number;
  social_account_id: string;
  platform: PlatformName;
  account_name: string;
  /** The target's own caption; null: the post's. */
  caption: string | null;
  /** `comment`: the first comment under a target's post; the API shows it inside that result. */
  kind: Generated<'post' | 'comment' | 'step'>;
  /** Name of the step after publishing. Null: the row is a target or a comment. */
  step: string | null;
  /** The result that this one replies to: the previous part of the thread, or the post of a comment. */
  answers_result_id: string | null;
  thread_position: number | null;
  /** ID, at the network, of a post that the client replies to. */
  in_reply_to: string | null;
  /** The target's own media; null: the post's. */
  media: JsonOrNull<MediaItem[]>;
  /** Hash of the content, by which a repeat is found. */
  content_hash: ColumnType<Buffer | null, string | null | undefined, string | null>;
  /** The target's own options. An option with the value null doesn't get the account's default. */
  platform_options: Json<Record<string, unknown>>;
  /**
   * The account's defaults for options that the target doesn't set. Null: the post is a draft, whose targets
   * get defaults later.
   */
  default_options: JsonOrNull<Record<string, unknown>>;
  status: ResultStatus;
  /** ID of the change in progress. Null: no change is in progress. */
  operation: string | null;
  phase: Phase;
  /** `ready`: the phase may be begun. `begun`: its call may have been sent. */
  phase_state: 'ready' | 'begun';
  /** Sealed by the vault; null: empty. */
  provider_state: Buffer | null;
  provider_state_key_id: string | null;
  clock: Json<ClockState>;
  external_id: string | null;
  url: string | null;
  /** Who can see the post. Not an enum, since networks may add values. */
  visibility: string | null;
  published_at: Date | null;
  /** When the post was last edited at its network. */
  edited_at: Date | null;
  /** When the post was found to be removed from its network. */
  unpublished_at: Date | null;
  /** When the network is next asked about the published post that it still works on. Null: it has finished. */
  follow_at: Date | null;
  /** From this time on, the network is no longer asked. */
  follow_until: Date | null;
  error_code: string | null;
  error_message: string | null;
  failure_stage: FailureStage | null;
  platform_error_code: string | null;
  provider_error: JsonOrNull<Record<string, unknown>>;
  is_retriable: Generated<boolean>;
  next_action: Generated<NextAction>;
  /** Number of commits begun. */
  attempts: Generated<number>;
  /** Grows with every call to the network and every retry. Numbers the calls. */
  steps: Generated<number>;
  next_attempt_at: Date | null;
  /** When the last call was begun, in database time. */
  begun_at: Date | null;
  /** Last heartbeat of the process that makes the call, in database time; null: no process owns it. */
  heartbeat_at: Date | null;
  /** The month in whose usage the result counts, `2026-01`; null: it doesn't count. */
  usage_month: string | null;
  /** The target has stopped at a pause. No workflow advances it until the pause ends. */
  is_paused: Generated<boolean>;
  /**
   * The account was erased. The result keeps its status and times. Its attempts and its post's events are
   * deleted.
   */
  is_erased: Generated<boolean>;
  /** When the network was last checked for the post, so that the target could continue. */
  checked_at: Date | null;
  /** A trigger increases the revision with each change that clients can see. */
  revision: Generated<number>;
  /** When the revision began. */
  updated_at: Generated<Date>;
}
export type PostResultRow = Selectable<PostResultTable>;

/** An edit or a removal of a published target. */
interface ResultChangeTable {
  id: string;
  project_id: string;
  result_id: string;
  type: ChangeType;
  status: ChangeStatus;
  /** What an edit changes. Null: the change is a removal. */
  content: JsonOrNull<ChangedContent>;
  /** Who requested the change. Null: Fanfare itself. */
  actor: JsonOrNull<Actor>;
  /** `commit`: the call that changes the post. `reconcile`: asks whether a lost call changed it. */
  phase: Generated<Extract<Phase, 'commit' | 'reconcile'>>;
  phase_state: Generated<'ready' | 'begun'>;
  clock: Json<ClockState>;
  /** Grows with every call to the network. */
  steps: Generated<number>;
  next_attempt_at: Date | null;
  begun_at: Date | null;
  /** Last heartbeat of the process that makes the call, in database time; null: no process owns it. */
  heartbeat_at: Date | null;
  error_code: string | null;
  error_message: string | null;
  /** The workflow that makes the change. Null: the client made it. */
  workflow_id: string | null;
  progressed_at: Generated<Date>;
  requested_at: Generated<Date>;
  ended_at: Date | null;
}
export type ResultChangeRow = Selectable<ResultChangeTable>;

/** One of a post's media, as posts store it. */
export interface MediaItem {
  /** Null: a URL of a draft, which is fetched once the draft is scheduled or published. */
  id: string | null;
  url: string | null;
  alt_text: string | null;
  thumbnail_id: string | null;
  thumbnail_at_ms: number | null;
}

interface MediaTable {
  id: string;
  project_id: string;
  environment: KeyEnvironment;
  status: MediaStatus;
  /** Set for a rendition: the media that it was made from. */
  source_media_id: string | null;
  /** What the rendition was fitted to. */
  rendition: string | null;
  filename: string | null;
  /** Where the bytes are fetched. Null: the client uploads them. */
  url: string | null;
  /** The declared type until the bytes are complete, then the type that was read from the bytes. */
  content_type: string | null;
  declared_bytes: number | null;
  /** Bytes of the whole file, as the request that began the upload announced them. */
  upload_total: number | null;
  /** SHA-256 in hex. */
  declared_hash: string | null;
  /** Bytes stored so far: the sum of the segments. */
  received_bytes: Generated<number>;
  kind: MediaKind | null;
  size_bytes: number | null;
  /** In hex. */
  sha256: string | null;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  /** The image has an orientation to apply, or a location to remove. */
  needs_cleaning: Generated<boolean>;
  /** Null while the media wait for their bytes. */
  error_code: MediaErrorCode | null;
  /** While the media wait for their bytes: the error of the last fetch. */
  error_message: string | null;
  upload_token_hash: Buffer | null;
  upload_expires_at: Date | null;
  /** The request or activity that writes the bytes. Its lease ends at `writer_until` unless it is renewed. */
  writer_id: string | null;
  writer_until: Date | null;
  /** Fetches that failed. */
  fetch_attempts: Generated<number>;
  /** The media were deleted, and their bytes were removed from the store. */
  is_emptied: Generated<boolean>;
  /** The workflow that fetches the bytes. Null: no workflow fetches them. */
  workflow_id: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}
export type MediaRow = Selectable<MediaTable>;

interface MediaSegmentTable {
  media_id: string;
  start_byte: number;
  bytes: number;
  /** Key of the object in the store. */
  key: string;
}
export type MediaSegmentRow = Selectable<MediaSegmentTable>;

interface PostAttemptTable {
  result_id: string;
  number: number;
  run: number;
  phase: Phase;
  started_at: Date;
  duration_ms: number | null;
  /** `begun` until the outcome is written, or forever after a crash. */
  outcome: AttemptOutcome;
  error_code: string | null;
  error_message: string | null;
  provider_error: JsonOrNull<Record<string, unknown>>;
  provider_detail: JsonOrNull<Record<string, unknown>>;
}
export type PostAttemptRow = Selectable<PostAttemptTable>;

interface EventTable {
  id: string;
  project_id: string;
  /** Environment of the post or account when the event was recorded, or of the tested webhook. */
  environment: KeyEnvironment;
  kind: EventType;
  /** The request body. Every attempt sends these bytes. */
  body: string;
  post_id: string | null;
  social_account_id: string | null;
  is_test: Generated<boolean>;
  created_at: Date;
}
export type EventRow = Selectable<EventTable>;

interface WebhookTable {
  id: string;
  project_id: string;
  environment: KeyEnvironment;
  name: string | null;
  url: string;
  events: EventType[];
  status: WebhookStatus;
  disabled_reason: DisabledReason | null;
  disabled_at: Date | null;
  /**
   * Earlier failures don't count. Set when the webhook is enabled. If a later successful delivery is deleted,
   * moves to the time of that delivery.
   */
  enabled_at: Generated<Date>;
  failing_since: Date | null;
  /** Sealed by the vault; null once the webhook is deleted. */
  secret: Buffer | null;
  secret_key_id: string | null;
  secret_preview: string;
  previous_secret: Buffer | null;
  previous_secret_key_id: string | null;
  previous_secret_until: Date | null;
  deleted_at: Date | null;
  created_at: Generated<Date>;
}
export type WebhookRow = Selectable<WebhookTable>;

interface DeliveryTable {
  id: string;
  project_id: string;
  webhook_id: string;
  event_id: string;
  event: EventType;
  status: DeliveryStatus;
  trigger: DeliveryTrigger;
  attempt_count: Generated<number>;
  /** Attempts of all retry schedules, without manual ones. */
  scheduled_attempts: Generated<number>;
  /** `scheduled_attempts` when the current retry schedule began. */
  ladder_start: Generated<number>;
  next_attempt_at: Date | null;
  last_status_code: number | null;
  last_error_code: string | null;
  /** The batch, with the workflow `deliveries/<batch ID>` for later attempts. Null: the relay may claim it. */
  batch_id: string | null;
  created_at: Generated<Date>;
  concluded_at: Date | null;
  /** When a receiver last accepted the event. A replay doesn't reset it. */
  delivered_at: Date | null;
  /** When the retry schedule ended without success. A manual attempt doesn't reset it. Null for tests. */
  failed_at: Date | null;
  is_delivered_manually: Generated<boolean>;
  /** The last replay that reopened the delivery. */
  replay_id: string | null;
}
export type DeliveryRow = Selectable<DeliveryTable>;

interface DeliveryAttemptTable {
  delivery_id: string;
  number: number;
  trigger: AttemptTrigger;
  started_at: Date;
  timings: Json<Timings>;
  remote_address: string | null;
  status_code: number | null;
  error_code: string | null;
  request_headers: Json<Record<string, string>>;
  response_headers: JsonOrNull<Record<string, string>>;
  response_body: string | null;
  next_attempt_at: Date | null;
}
export type DeliveryAttemptRow = Selectable<DeliveryAttemptTable>;

interface ReplayTable {
  id: string;
  project_id: string;
  webhook_id: string;
  /** The environment of the webhook. */
  environment: KeyEnvironment;
  status: ReplayStatus;
  since: Date;
  until: Date;
  statuses: ReplayedStatus[];
  /** Deliveries counted at the request. Grows if more are reopened. */
  matched: number;
  /** Deliveries reopened so far. */
  reopened: Generated<number>;
  /** Outcomes of the reopened deliveries at the last count; final once the replay has concluded. */
  delivered: Generated<number>;
  failed: Generated<number>;
  skipped: Generated<number>;
  canceled: Generated<number>;
  /** The next batch begins after this id. Null: every match has been reopened. */
  position: string | null;
  /** The workflow that advances the replay. */
  workflow_id: string;
  created_at: Generated<Date>;
  concluded_at: Date | null;
}
export type ReplayRow = Selectable<ReplayTable>;

interface OutboxTable {
  id: string;
  /** Empty: the workflow serves several projects. */
  project_id: ColumnType<string, string | undefined, never>;
  workflow: string;
  workflow_id: string;
  input: Json<Record<string, unknown>>;
  start_at: Date | null;
  /** The row waits until its start is near. */
  is_early: Generated<boolean>;
  /** Until this time, only the relay that claimed the row may start its workflow. */
  claimed_until: Date | null;
  created_at: Generated<Date>;
}
export type OutboxRow = Selectable<OutboxTable>;

interface ChangeTable {
  id: GeneratedAlways<string>;
  xid: GeneratedAlways<string>;
  project_id: string;
  subject: ChangeSubject;
  subject_id: string;
  /** The result of the post that has changed. Null: the change concerns no result. */
  result_id: ColumnType<string | null, string | undefined, never>;
  /** Past tense: `created`, `result.published`, `delivered`. */
  kind: string;
  /** Set when the subject was deleted, because its own row is gone. */
  environment: ColumnType<KeyEnvironment | null, KeyEnvironment | undefined, never>;
  /** Null: Fanfare itself. */
  actor: ColumnType<Actor | null, string | null | undefined, never>;
  created_at: Generated<Date>;
}
export type ChangeRow = Selectable<ChangeTable>;

/** Has one row. */
interface FeedEpochTable {
  epoch: string;
  /** Changes up to this transaction have been deleted. */
  pruned_xid: Generated<string>;
}

interface IdempotencyKeyTable {
  project_id: string;
  key: string;
  fingerprint: Buffer;
  /** Another key gets the answer only with this environment and these scopes. */
  environment: KeyEnvironment;
  scopes: Scope[];
  /** Null only inside the transaction that does the work. */
  status: ColumnType<number | null, number | undefined, number | null>;
  /** Sealed by the vault, because the answer may show a secret. */
  answer: ColumnType<Buffer | null, Buffer | undefined, Buffer | null>;
  answer_key_id: ColumnType<string | null, string | undefined, string>;
  /** Set if the answer shows a secret. Then only this API key gets the answer again. */
  only_for_key: ColumnType<string | null, string | undefined, string | null>;
  created_at: Generated<Date>;
}

export type IdempotencyKeyRow = Selectable<IdempotencyKeyTable>;

interface MigrationVersionTable {
  /** As in Kysely's table of the migrations that ran. */
  name: string;
  /** The oldest version of Fanfare that works on the tables after this migration. */
  oldest_version: string;
}

interface RateLimitTable {
  /** `app/<id>`, `app/<network>` without an app, `quota/` with the same, `grant/<id>` or `account/<id>`. */
  key: string;
  /** The next free slot under the operator's ceiling. */
  next_free_at: Date | null;
  /** The network refuses calls until this time. */
  blocked_until: Date | null;
}

interface AccountUsageTable {
  social_account_id: string;
  /** `2026-01`, in UTC. */
  month: string;
  published: Generated<number>;
  warned_at: Date | null;
  exceeded_at: Date | null;
}
export type AccountUsageRow = Selectable<AccountUsageTable>;

interface SendingPauseTable {
  /** `deliveries`, a network's name or a project's id. */
  scope: string;
  created_at: Generated<Date>;
}

/** The last error of a workflow's activities, or of one post of a group: `<workflow ID>/<post ID>`. */
interface ActivityFailureTable {
  workflow_id: string;
  activity: string;
  error: string;
  failures: Generated<number>;
  failed_at: Generated<Date>;
}
export type ActivityFailureRow = Selectable<ActivityFailureTable>;

interface SandboxPostTable {
  id: string;
  handle: string;
  caption: string;
  reference: string | null;
  reply_to: string | null;
  /** IDs, in order. */
  media: Generated<string[]>;
  created_at: Generated<Date>;
  /** A public post that the network's API hides from its callers. */
  is_hidden: Generated<boolean>;
  /** What the network does with edits and removals. Null: it carries them out. */
  change_outcome: string | null;
  /** How many edits and removals get this outcome. Null: all of them. */
  change_times: number | null;
}
export type SandboxPostRow = Selectable<SandboxPostTable>;

interface SandboxMediaTable {
  id: string;
  handle: string;
  content_type: string;
  /** The declared size. */
  bytes: number;
  received_bytes: Generated<number>;
  /** Every byte is here, and has the declared hash. */
  is_complete: Generated<boolean>;
  sha256: string | null;
  alt_text: string | null;
  created_at: Generated<Date>;
}
export type SandboxMediaRow = Selectable<SandboxMediaTable>;

/** One login at the sandbox network. Each token contains its generation. */
interface SandboxGrantTable {
  id: string;
  handle: string;
  /** The code from the consent page, until it is exchanged. */
  code: string | null;
  generation: Generated<number>;
  is_expired: Generated<boolean>;
  is_revoked: Generated<boolean>;
  created_at: Generated<Date>;
}
export type SandboxGrantRow = Selectable<SandboxGrantTable>;
