// The tables and their rows, spelled as SQL spells them.
import type {
  ColumnType,
  Generated,
  GeneratedAlways,
  Kysely,
  Selectable,
  Transaction as KyselyTransaction,
} from 'kysely';
import type { AccountStatus, ConnectionType, ConnectSessionStatus } from '../accounts.ts';
import type { KeyEnvironment } from '../api-keys.ts';
import type { AttemptTrigger, DeliveryStatus, DeliveryTrigger, Timings } from '../deliveries.ts';
import type { EventType } from '../events.ts';
import type { Traits } from '../platforms/definition.ts';
import type { PlatformName } from '../platforms/index.ts';
import type { AttemptOutcome } from '../posts/attempts.ts';
import type { FailureStage, NextAction, Phase, PostStatus, ResultStatus } from '../posts/posts.ts';
import type { Scope } from '../scopes.ts';
import type { ReplayedStatus, ReplayStatus } from '../replays.ts';
import type { DisabledReason, WebhookStatus } from '../webhooks.ts';

/** jsonb: pg parses it on the way out; on the way in it is text, since pg takes arrays for SQL arrays. */
type Json<T> = ColumnType<T, string | undefined, string>;
type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface Database {
  projects: ProjectTable;
  api_keys: ApiKeyTable;
  social_accounts: SocialAccountTable;
  connect_sessions: ConnectSessionTable;
  posts: PostTable;
  post_results: PostResultTable;
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
  outbox: OutboxTable;
  sweeps: { swept_at: Date };
  changes: ChangeTable;
  feed_epoch: FeedEpochTable;
  idempotency_keys: IdempotencyKeyTable;
  vault_keys: { id: string; check_value: Buffer };
  activity_failures: ActivityFailureTable;
  sandbox_posts: SandboxPostTable;
  sandbox_refusals: { reference: string; count: number; created_at: Generated<Date> };
  sandbox_grants: SandboxGrantTable;
}

export type Db = Kysely<Database>;
export type Transaction = KyselyTransaction<Database>;

interface ProjectTable {
  id: string;
  name: string;
  brand_color: string | null;
  logo_url: string | null;
  return_origins: Generated<string[]>;
  monthly_posts_per_account: number | null;
  created_at: Generated<Date>;
}
export type ProjectRow = Selectable<ProjectTable>;

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

interface SocialAccountTable {
  id: string;
  project_id: string;
  platform: PlatformName;
  account_name: string;
  external_account_id: string;
  external_user_id: string | null;
  external_user_email: string | null;
  connection_type: ConnectionType;
  environment: GeneratedAlways<KeyEnvironment>;
  status: AccountStatus;
  scope: Generated<string[]>;
  /** How it differs from other accounts of its network. */
  traits: Json<Traits>;
  /** Sealed by the vault; null once disconnected. */
  credentials: Buffer | null;
  credentials_key_id: string | null;
  credential_version: Generated<number>;
  token_expires_at: Date | null;
  refresh_lease_id: string | null;
  refresh_lease_until: Date | null;
  connected_at: Generated<Date>;
  disconnected_at: Date | null;
}
export type SocialAccountRow = Selectable<SocialAccountTable>;

interface ConnectSessionTable {
  id: string;
  project_id: string;
  environment: KeyEnvironment;
  platform: PlatformName;
  external_user_id: string;
  external_user_email: string | null;
  return_url: string | null;
  status: ConnectSessionStatus;
  token_hash: Buffer;
  expires_at: Date;
  completed_social_account_id: string | null;
  created_at: Generated<Date>;
}
export type ConnectSessionRow = Selectable<ConnectSessionTable>;

interface PostTable {
  id: string;
  project_id: string;
  /** `test`: every target is an account of the sandbox. */
  environment: KeyEnvironment;
  caption: string;
  status: PostStatus;
  scheduled_at: Date | null;
  published_at: Date | null;
  media_urls: Generated<string[]>;
  metadata: Json<Record<string, string>>;
  /** The run that may start: a reschedule, a publish-now and a retry each make a new one. */
  current_run: Generated<number>;
  started_run: Generated<number>;
  concluded_run: Generated<number>;
  /** The one workflow that may carry the current run; null for a draft. */
  workflow_id: string | null;
  created_at: Generated<Date>;
  /** The scheduled time, or when its publication was asked for; null: a draft. */
  due_at: Date | null;
  /** When its workflow turned out to be ahead of its row: the database was restored. */
  restored_at: Date | null;
  progressed_at: Generated<Date>;
}
export type PostRow = Selectable<PostTable>;

/** Counts of a target's troubles, kept in the row so that a workflow may be started anew. */
export interface ClockState {
  unavailable?: number;
  rateLimitedSinceMs?: number;
  confirmSinceMs?: number;
  confirmDelayMs?: number;
  reconcileLooks?: number;
  /** When the first commit with an unknown outcome began. */
  unprovenSinceMs?: number;
  /** After a restore of the database: the phase to continue with if the post is absent. */
  check?: { phase: 'prepare' | 'commit'; mayBePublic: boolean };
  /** The place that was reserved under the operator's ceiling. */
  turnAtMs?: number;
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
  kind: Generated<'post' | 'comment'>;
  /** The row whose post this one answers: the part of the thread before it, or what it comments. */
  answers_result_id: string | null;
  thread_position: number | null;
  /** A post at the network that the client wants answered, by its id there. */
  in_reply_to: string | null;
  /** The target's own media; null: the post's. */
  media_urls: string[] | null;
  platform_options: Json<Record<string, unknown>>;
  status: ResultStatus;
  phase: Phase;
  /** `ready`: the phase may be begun. `begun`: its call may have been sent. */
  phase_state: 'ready' | 'begun';
  provider_state: Json<Record<string, unknown>>;
  clock: Json<ClockState>;
  external_id: string | null;
  url: string | null;
  published_at: Date | null;
  error_code: string | null;
  error_message: string | null;
  failure_stage: FailureStage | null;
  platform_error_code: string | null;
  provider_error: JsonOrNull<Record<string, unknown>>;
  is_retriable: Generated<boolean>;
  next_action: Generated<NextAction>;
  /** How often the commit was begun. */
  attempts: Generated<number>;
  /** Grows with every call to the network, which is numbered by it, and with every retry. */
  steps: Generated<number>;
  next_attempt_at: Date | null;
  /** When its last call was begun, in database time. */
  begun_at: Date | null;
  /** When the process that makes the call was last known to live, in database time; null: nobody owns it. */
  heartbeat_at: Date | null;
  /** The month whose usage of the account counts it, `2026-01`; null: it isn't counted. */
  usage_month: string | null;
  /** It met a pause, and no workflow carries it until that ends. */
  is_paused: Generated<boolean>;
  /** When its network was last checked for the post, and the target continued. */
  checked_at: Date | null;
}
export type PostResultRow = Selectable<PostResultTable>;

interface PostAttemptTable {
  result_id: string;
  number: number;
  run: number;
  phase: Phase;
  started_at: Date;
  duration_ms: number | null;
  /** `begun` until its outcome is written: a crash leaves it so. */
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
  /** Of its post or account when it was recorded, or of the webhook that is tested. */
  environment: KeyEnvironment;
  kind: EventType;
  /** The request body, rendered once: every attempt sends these bytes. */
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
  enabled_at: Generated<Date>;
  failing_since: Date | null;
  /** Sealed by the vault; null once deleted. */
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
  /** Attempts of the schedule alone, of all retry schedules; names the attempt that comes next. */
  scheduled_attempts: Generated<number>;
  /** `scheduled_attempts` when the present retry schedule began. */
  ladder_start: Generated<number>;
  next_attempt_at: Date | null;
  last_status_code: number | null;
  last_error_code: string | null;
  /** The batch whose workflow carries it: `deliveries/<batch id>`. Null: the relay may take it. */
  batch_id: string | null;
  created_at: Generated<Date>;
  concluded_at: Date | null;
  /** When a receiver took it last; stays when a replay sends it once more. */
  delivered_at: Date | null;
  /** When the schedule gave up; stays when a manual attempt delivers it later. Never of a test. */
  failed_at: Date | null;
  is_delivered_manually: Generated<boolean>;
  /** The replay that reopened it last. */
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
  /** Of its webhook. */
  environment: KeyEnvironment;
  status: ReplayStatus;
  since: Date;
  until: Date;
  statuses: ReplayedStatus[];
  /** How many were counted when it was asked for; more when more are reopened. */
  matched: number;
  /** How many are on a new retry schedule by now. */
  reopened: Generated<number>;
  /** How those ended, as last looked at; final once the replay has concluded. */
  delivered: Generated<number>;
  failed: Generated<number>;
  skipped: Generated<number>;
  canceled: Generated<number>;
  /** The next batch begins past this id. Null: every match has been reopened. */
  position: string | null;
  /** The one workflow that should carry it. */
  workflow_id: string;
  created_at: Generated<Date>;
  concluded_at: Date | null;
}
export type ReplayRow = Selectable<ReplayTable>;

interface OutboxTable {
  id: string;
  workflow: string;
  workflow_id: string;
  input: Json<Record<string, unknown>>;
  start_at: Date | null;
  claimed_at: Date | null;
  created_at: Generated<Date>;
}
export type OutboxRow = Selectable<OutboxTable>;

const changeSubjects = ['post', 'delivery', 'account', 'webhook', 'event', 'replay'] as const;
export type ChangeSubject = (typeof changeSubjects)[number];

interface ChangeTable {
  id: GeneratedAlways<string>;
  xid: GeneratedAlways<string>;
  project_id: string;
  subject: ChangeSubject;
  subject_id: string;
  /** Past tense: `created`, `result.published`, `delivered`. */
  kind: string;
  /** Of a subject that was deleted: its own row can't tell any more. */
  environment: ColumnType<KeyEnvironment | null, KeyEnvironment | undefined, never>;
  created_at: Generated<Date>;
}
export type ChangeRow = Selectable<ChangeTable>;

/** One row. */
interface FeedEpochTable {
  epoch: string;
  /** Changes up to this transaction have been deleted. */
  pruned_xid: Generated<string>;
}

interface IdempotencyKeyTable {
  project_id: string;
  key: string;
  fingerprint: Buffer;
  /** What another key needs to get the answer. */
  environment: KeyEnvironment;
  scopes: Scope[];
  /** Null only inside the transaction that does the work. */
  status: ColumnType<number | null, number | undefined, number | null>;
  /** Sealed by the vault: the answer may show a secret. */
  answer: ColumnType<Buffer | null, Buffer | undefined, Buffer | null>;
  answer_key_id: ColumnType<string | null, string | undefined, string>;
  /** The answer shows a secret, so only the API key that asked for it gets it again. */
  only_for_key: ColumnType<string | null, string | undefined, string | null>;
  created_at: Generated<Date>;
}

export type IdempotencyKeyRow = Selectable<IdempotencyKeyTable>;

interface RateLimitTable {
  /** `app/<network>` or `account/<id>`. */
  key: string;
  /** The next free place under the operator's ceiling. */
  next_free_at: Date | null;
  /** The network takes nothing until then. */
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

/** The last error of a workflow whose activities threw. */
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
  media_urls: Generated<string[]>;
  created_at: Generated<Date>;
  /** Public like any, but the network does not tell its own API's callers of it. */
  is_hidden: Generated<boolean>;
}
export type SandboxPostRow = Selectable<SandboxPostTable>;

/** One login at the sandbox network. Its tokens carry the generation that they belong to. */
interface SandboxGrantTable {
  id: string;
  handle: string;
  /** What the consent page hands out, until it is exchanged. */
  code: string | null;
  generation: Generated<number>;
  is_expired: Generated<boolean>;
  is_revoked: Generated<boolean>;
  created_at: Generated<Date>;
}
export type SandboxGrantRow = Selectable<SandboxGrantTable>;
