// Creates every table of version 0.2. It must not change: later changes are migrations of their own. Ids are text in collation "C", so that they sort by creation in any database.
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const id = 'text collate "C"';
const time = 'timestamptz(3)';

/** ASCII punctuation as a text of SQL, and as many spaces. */
const punctuation = `e'!"#$%&\\'()*+,-./:;<=>?@[\\\\]^_\`{|}~'`;
const spaces = `'${' '.repeat(32)}'`;

const statements = [
  `create table projects (
    id ${id} primary key,
    name text not null,
    brand_color text,
    logo_media_id ${id},
    dark_logo_media_id ${id},
    privacy_url text,
    terms_url text,
    support_url text,
    return_origins text[] not null default '{}',
    monthly_posts_per_account int,
    publish_within_s int,
    created_at ${time} not null default now()
  )`,
  // Copies of media, which may be deleted.
  `create table project_logos (
    project_id ${id} not null references projects on delete cascade,
    theme text not null,
    png bytea not null,
    width int not null,
    height int not null,
    primary key (project_id, theme)
  )`,

  `create table api_keys (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    name text not null,
    hash bytea not null unique,
    prefix text not null,
    scopes text[] not null,
    environment text not null,
    expires_at ${time},
    revoked_at ${time},
    last_used_at ${time},
    created_at ${time} not null default now()
  )`,
  `create index api_keys_by_project on api_keys (project_id, id)`,

  // Browsers that are signed in to the dashboard. The key's scopes are theirs.
  `create table dashboard_sessions (
    id ${id} primary key,
    key_id ${id} not null references api_keys on delete cascade,
    hash bytea not null unique,
    expires_at ${time} not null,
    created_at ${time} not null default now()
  )`,
  `create index dashboard_sessions_by_key on dashboard_sessions (key_id)`,
  `create index dashboard_sessions_by_end on dashboard_sessions (expires_at)`,

  // Clients registered at networks. Without a project: the operator's.
  `create table platform_apps (
    id ${id} primary key,
    project_id ${id} references projects on delete cascade,
    platform text not null,
    environment text not null
      generated always as (case platform when 'sandbox' then 'test' else 'production' end) stored,
    instance text not null default '',
    client_id text not null,
    client_secret bytea,
    client_secret_key_id text,
    settings jsonb,
    approval text not null default 'unknown',
    inbound_key text not null unique,
    credits_exhausted_at ${time},
    created_at ${time} not null default now(),
    updated_at ${time} not null default now(),
    unique nulls not distinct (project_id, platform, instance, client_id)
  )`,
  `create index platform_apps_by_vault_key on platform_apps (client_secret_key_id)
    where client_secret_key_id is not null`,

  // Pruning deletes unused apps of servers that users name.
  `create index platform_apps_of_servers on platform_apps (created_at)
    where instance <> '' and project_id is not null`,

  // Logins at networks, each with one or more accounts.
  `create table grants (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    platform text not null,
    app_id ${id} references platform_apps on delete set null,
    credentials bytea,
    credentials_key_id text,
    credential_version int not null default 1,
    token_expires_at ${time},
    refresh_at ${time},
    refresh_failures int not null default 0,
    check_at ${time},
    expiry_warning_at ${time},
    has_lost_app boolean not null default false,
    refresh_lease_id text,
    refresh_lease_until ${time},
    created_at ${time} not null default now()
  )`,
  `create index grants_by_project on grants (project_id)`,
  `create index grants_by_app on grants (app_id) where app_id is not null`,
  `create index grants_to_refresh on grants (refresh_at) where refresh_at is not null`,
  `create index grants_to_check on grants (check_at) where check_at is not null`,
  `create index grants_to_warn_of on grants (expiry_warning_at)
    where expiry_warning_at is not null`,
  `create index grants_by_vault_key on grants (credentials_key_id)
    where credentials_key_id is not null`,

  // Calls in flight that end a login at its network.
  `create table revocations (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    platform text not null,
    expires_at ${time} not null
  )`,
  `create index revocations_by_age on revocations (expires_at)`,

  `create table social_accounts (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    grant_id ${id} references grants,
    platform text not null,
    account_name text not null,
    display_name text,
    picture_url text,
    external_account_id text not null,
    external_user_id text,
    external_user_email text,
    connection_type text not null,
    environment text not null
      generated always as (case platform when 'sandbox' then 'test' else 'production' end) stored,
    status text not null,
    scope text[] not null default '{}',
    traits jsonb not null default '{}',
    default_options jsonb not null default '{}',
    connected_at ${time} not null default now(),
    disconnected_at ${time},
    erase_at ${time},
    is_erased boolean not null default false,
    unique (project_id, platform, external_account_id)
  )`,
  `create index social_accounts_to_erase on social_accounts (id) include (erase_at)
    where erase_at is not null`,
  `create index social_accounts_by_grant on social_accounts (grant_id) where grant_id is not null`,
  `create index social_accounts_by_project on social_accounts (project_id, id)`,
  // Nearly empty if the sandbox is off. Every start checks for remaining accounts.
  `create index social_accounts_of_sandbox on social_accounts (id) where platform = 'sandbox'`,
  `create index social_accounts_by_user on social_accounts (project_id, external_user_id, id)`,
  // A network names its user when they remove the app, or want their data deleted.
  `create index social_accounts_by_network_user on social_accounts ((traits->>'user_id'))
    where traits->>'user_id' is not null`,
  // Instagram may name an account by either of its IDs.
  `create index social_accounts_of_instagram on social_accounts (external_account_id)
    where platform = 'instagram'`,

  `create table connect_sessions (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    environment text not null,
    platform text not null,
    external_user_id text,
    external_user_email text,
    social_account_id ${id},
    login text,
    return_url text,
    status text not null,
    token_hash bytea not null,
    expires_at ${time} not null,
    completed_social_account_ids text[] not null default '{}',
    flow bytea,
    flow_key_id text,
    created_at ${time} not null default now()
  )`,
  `create index connect_sessions_by_project on connect_sessions (project_id, id)`,
  `create index connect_sessions_by_user on connect_sessions (project_id, external_user_id, id)
    where external_user_id is not null`,
  // Pruning deletes the flows of expired sessions.
  `create index connect_sessions_with_flow on connect_sessions (expires_at) where flow is not null`,

  // Users who asked a network to have their data deleted. No column has an ID of the network.
  `create table data_deletions (
    code text primary key,
    project_id ${id} references projects on delete cascade,
    app_id ${id} not null,
    social_account_ids text[] not null default '{}',
    received_at ${time} not null default now(),
    erased_at ${time}
  )`,
  `create index data_deletions_open on data_deletions (received_at) where erased_at is null`,
  `create index data_deletions_by_age on data_deletions (erased_at) where erased_at is not null`,
  // Choices: values of options that a network offers to an account, kept until they are old.
  `create table choice_lists (
    social_account_id ${id} not null references social_accounts on delete cascade,
    kind text not null,
    is_complete boolean not null,
    fetched_at ${time} not null,
    primary key (social_account_id, kind)
  )`,
  `create index choice_lists_by_age on choice_lists (fetched_at)`,
  `create table choices (
    social_account_id ${id} not null,
    kind text not null,
    position int not null,
    id ${id} not null,
    name text not null,
    description text,
    url text,
    image_url text,
    parent_id text,
    disabled_reason text,
    primary key (social_account_id, kind, position),
    foreign key (social_account_id, kind) references choice_lists on delete cascade
  )`,
  `create table account_checks (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    social_account_id ${id} not null references social_accounts on delete cascade,
    platform text not null,
    environment text not null
      generated always as (case platform when 'sandbox' then 'test' else 'production' end) stored,
    status text not null,
    publishes boolean not null,
    steps jsonb not null,
    result_id ${id} not null,
    progress bytea,
    progress_key_id text,
    version int not null default 0,
    usage_month text,
    workflow_id text not null,
    progressed_at ${time} not null default now(),
    created_at ${time} not null default now(),
    ended_at ${time}
  )`,
  `create index account_checks_by_account on account_checks (social_account_id)`,
  // At most one running check of each account.
  `create unique index account_checks_running on account_checks (social_account_id)
    where status = 'running'`,
  `create index account_checks_by_vault_key on account_checks (progress_key_id)
    where progress_key_id is not null`,

  `create table posts (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    environment text not null,
    caption text not null,
    status text not null,
    scheduled_at ${time},
    schedule jsonb,
    publish_by ${time},
    queue_id ${id},
    published_at ${time},
    media jsonb not null default '[]',
    auto_fit boolean not null default true,
    metadata jsonb not null default '{}',
    labels text[] not null default '{}',
    created_by jsonb,
    current_run int not null default 0,
    started_run int not null default 0,
    concluded_run int not null default 0,
    workflow_id text,
    created_at ${time} not null default date_trunc('milliseconds', now()),
    due_at ${time},
    run_due_at ${time} not null default now(),
    is_removing boolean not null default false,
    restored_at ${time},
    progressed_at ${time} not null default now(),
    revision int not null default 1,
    updated_at timestamptz not null default now()
  )`,
  `create index posts_by_project on posts (project_id, id)`,
  // A test key lists its few posts without reading all the others.
  `create index posts_of_test on posts (project_id, id) where environment = 'test'`,
  `create index posts_by_status on posts (project_id, status, id)`,
  `create index posts_unfinished on posts (progressed_at)
    where status = 'pending' or status = 'scheduled'`,
  `create index posts_due on posts (run_due_at, id)
    where status = 'pending' or status = 'scheduled'`,
  `create index posts_scheduled on posts (scheduled_at, id) where status = 'scheduled'`,
  // Lists by time leave out posts without the time, which they read by `posts_by_project`.
  `create index posts_by_schedule on posts (project_id, scheduled_at, id)
    where scheduled_at is not null`,
  `create index posts_by_publication on posts (project_id, published_at, id)
    where published_at is not null`,
  // Posts without labels or metadata, which are most, cost these indexes nothing.
  `create index posts_with_labels on posts (project_id, id) where labels <> '{}'`,
  `create index posts_by_label on posts using gin (labels) where labels <> '{}'`,
  `create index posts_by_metadata on posts using gin (metadata jsonb_path_ops)
    where metadata <> '{}'`,
  // The words of a text, in lower case, and its project: a common word then costs a project only its own posts.
  // Punctuation separates words, as it does in addresses and tags, so no searched word stands for a project. A word
  // after the first 10,000 characters isn't found, so that no caption is too large to be indexed. The cost is that of
  // the words, which a plan must not find again in each row.
  `create function words_of(project text, caption text) returns tsvector
    language plpgsql immutable parallel safe cost 4000 as $$
    begin
      return to_tsvector('simple'::regconfig, translate(left(caption, 10000), ${punctuation}, ${spaces}))
        || array_to_tsvector(array['/' || project]);
    end
  $$`,
  // Each word stands for all words that begin with it. Without a word, the query finds nothing.
  `create function beginnings_of(project text, words text) returns tsquery
    language plpgsql immutable parallel safe as $$
    declare
      found tsquery := regexp_replace(plainto_tsquery('simple'::regconfig,
        translate(words, ${punctuation}, ${spaces}))::text, '''( &|$)', ''':*\\1', 'g')::tsquery;
    begin
      return case numnode(found) when 0 then found
        else found && ('''/' || project || '''')::tsquery end;
    end
  $$`,
  `create index posts_by_word on posts using gin (words_of(project_id, caption))`,
  // Zone data may move these.
  `create index posts_of_zones on posts (scheduled_at, id)
    where status = 'scheduled' and schedule is not null`,

  `create table queues (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    environment text not null,
    name text not null,
    timezone text not null,
    account_ids text[] not null,
    slots jsonb not null,
    is_paused boolean not null,
    created_at ${time} not null default now(),
    updated_at ${time} not null default now()
  )`,
  `create index queues_by_project on queues (project_id, id)`,
  // A warning names other queues of the same accounts.
  `create index queues_by_account on queues using gin (account_ids)`,

  // The slots that posts have. A slot is taken before its post is inserted, in the same transaction.
  `create table queue_slots (
    queue_id ${id} not null references queues on delete cascade,
    at ${time} not null,
    post_id ${id} not null unique references posts on delete cascade deferrable initially deferred,
    primary key (queue_id, at)
  )`,

  `create table post_results (
    id ${id} primary key,
    post_id ${id} not null references posts on delete cascade,
    project_id ${id} not null,
    position int not null,
    social_account_id ${id} not null references social_accounts,
    platform text not null,
    account_name text not null,
    caption text,
    platform_options jsonb not null default '{}',
    default_options jsonb,
    status text not null,
    operation ${id},
    phase text not null,
    phase_state text not null,
    provider_state bytea,
    provider_state_key_id text,
    clock jsonb not null default '{}',
    external_id text,
    url text,
    visibility text,
    published_at ${time},
    edited_at ${time},
    unpublished_at ${time},
    follow_at ${time},
    follow_until ${time},
    error_code text,
    error_message text,
    failure_stage text,
    platform_error_code text,
    provider_error jsonb,
    is_retriable boolean not null default false,
    next_action text not null default 'none',
    attempts int not null default 0,
    steps int not null default 0,
    next_attempt_at ${time},
    begun_at ${time},
    heartbeat_at ${time},
    kind text not null default 'post',
    step text,
    answers_result_id ${id} references post_results on delete cascade,
    thread_position int,
    in_reply_to text,
    media jsonb,
    content_hash bytea,
    usage_month text,
    is_paused boolean not null default false,
    is_erased boolean not null default false,
    checked_at ${time},
    revision int not null default 0,
    updated_at timestamptz not null default now(),
    unique (post_id, position)
  )`,
  // Counts revisions in a trigger, so that no statement can change what a client sees without a new revision.
  // Clients never see the changes of one transaction apart, so these changes count as one revision. Changes
  // by the transaction that inserts a row belong to the first revision. The microseconds of `updated_at` tell
  // transactions apart.
  `create function count_revision() returns trigger language plpgsql as $$
    begin
      new.revision := new.revision + 1;
      new.updated_at := greatest(old.updated_at, now());
      return new;
    end
  $$`,
  `create trigger posts_revision before update of caption, status, scheduled_at, schedule, publish_by, queue_id,
    published_at, media, auto_fit, metadata, labels on posts for each row when (old.updated_at <> now()) execute function count_revision()`,
  `create trigger post_results_revision before update of caption, platform_options, default_options, status, phase,
    phase_state, clock, external_id, url, visibility, published_at, error_code, error_message,
    failure_stage, platform_error_code, provider_error, is_retriable, next_action, attempts,
    next_attempt_at, media, is_paused, operation, edited_at, unpublished_at on post_results
    for each row when (old.updated_at <> now()) execute function count_revision()`,
  `create index post_results_by_account on post_results (social_account_id, id)`,
  `create index post_results_by_word on post_results using gin (words_of(project_id, caption))
    where kind = 'post' and caption is not null`,
  `create index post_results_by_content on post_results (content_hash)
    where content_hash is not null`,
  `create index post_results_by_answered on post_results (answers_result_id)
    where answers_result_id is not null`,
  `create index post_results_by_vault_key on post_results (provider_state_key_id)
    where provider_state_key_id is not null`,
  `create index post_results_followed on post_results (follow_at) where follow_at is not null`,
  `create index post_results_paused on post_results (post_id) where is_paused`,
  `create table result_changes (
    id ${id} primary key,
    project_id ${id} not null,
    result_id ${id} not null references post_results on delete cascade,
    type text not null,
    status text not null,
    content jsonb,
    actor jsonb,
    phase text not null default 'commit',
    phase_state text not null default 'ready',
    clock jsonb not null default '{}',
    steps int not null default 0,
    next_attempt_at ${time},
    begun_at ${time},
    heartbeat_at ${time},
    error_code text,
    error_message text,
    workflow_id text,
    progressed_at ${time} not null default now(),
    requested_at ${time} not null default now(),
    ended_at ${time}
  )`,
  `create index result_changes_by_result on result_changes (result_id, id)`,
  `create index result_changes_pending on result_changes (progressed_at) where status = 'pending'`,

  // Links to the page on which a creator reviews a post.
  `create table review_links (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    post_id ${id} not null references posts on delete cascade,
    social_account_id ${id} not null references social_accounts on delete cascade,
    token_hash bytea not null,
    expires_at ${time} not null,
    used_at ${time},
    created_at ${time} not null default now()
  )`,
  `create index review_links_by_post on review_links (post_id)`,
  `create index review_links_by_account on review_links (social_account_id)`,

  // Images and videos. The bytes are in the media store. A rendition is fitted to a network's rules.
  `create table media (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    environment text not null,
    status text not null,
    source_media_id ${id} references media on delete cascade,
    rendition text,
    filename text,
    url text,
    content_type text,
    declared_bytes int,
    upload_total int,
    declared_hash text,
    received_bytes int not null default 0,
    kind text,
    size_bytes int,
    sha256 text,
    width int,
    height int,
    duration_ms int,
    needs_cleaning boolean not null default false,
    error_code text,
    error_message text,
    upload_token_hash bytea,
    upload_expires_at ${time},
    writer_id text,
    writer_until ${time},
    fetch_attempts int not null default 0,
    is_emptied boolean not null default false,
    workflow_id text,
    created_at ${time} not null default now(),
    updated_at ${time} not null default now(),
    unique (source_media_id, rendition)
  )`,
  `create index media_by_project on media (project_id, id)`,
  `create index media_kept on media (id) where status <> 'deleted' and source_media_id is null`,
  `create index media_to_empty on media (id) where status = 'deleted' and not is_emptied`,
  `create index media_emptied on media (id) where is_emptied`,
  `create index media_to_fetch on media (updated_at)
    where status = 'pending' and workflow_id is not null`,
  // Parts of the bytes, each an object in the media store.
  `create table media_segments (
    media_id ${id} not null references media on delete cascade,
    start_byte int not null,
    bytes int not null,
    key text not null,
    primary key (media_id, start_byte)
  )`,
  `create table media_uses (
    media_id ${id} not null references media on delete cascade,
    post_id ${id} not null references posts on delete cascade,
    primary key (media_id, post_id)
  )`,
  `create index media_uses_by_post on media_uses (post_id)`,
  // At most one row: the ID of the store, which the store's marker repeats.
  `create table media_stores (
    id boolean primary key default true check (id),
    store_id text not null,
    is_marked boolean not null default false
  )`,

  `create table post_attempts (
    result_id ${id} not null references post_results on delete cascade,
    number int not null,
    run int not null,
    phase text not null,
    started_at ${time} not null,
    duration_ms int,
    outcome text not null,
    error_code text,
    error_message text,
    provider_error jsonb,
    provider_detail jsonb,
    primary key (result_id, number)
  )`,

  // What later migrations say to versions that don't know them.
  `create table migration_versions (
    name text primary key,
    oldest_version text not null
  )`,

  // At most one row: when the database was last restored.
  `create table restores (
    id boolean primary key default true check (id),
    restored_at ${time} not null
  )`,

  `create table rate_limits (
    key text primary key,
    next_free_at ${time},
    blocked_until ${time}
  )`,

  `create table account_usage (
    social_account_id ${id} references social_accounts on delete cascade,
    month text,
    published int not null default 0,
    warned_at ${time},
    exceeded_at ${time},
    primary key (social_account_id, month)
  )`,
  `create index account_usage_by_month on account_usage (month)`,

  `create table sending_pauses (
    scope text primary key,
    created_at ${time} not null default now()
  )`,

  // No foreign key to projects, because each foreign key slows down the recording of events.
  `create table events (
    id ${id} primary key,
    project_id ${id} not null,
    environment text not null,
    kind text not null,
    body text not null,
    post_id ${id},
    social_account_id ${id},
    is_test boolean not null default false,
    created_at ${time} not null
  )`,
  `create index events_by_project on events (project_id, id)`,
  // Test events are few. Without this index, a list of test events would read all other events.
  `create index events_of_tests on events (project_id, id) where is_test`,
  `create index events_of_test_keys on events (project_id, id) where environment = 'test'`,
  `create index events_by_post on events (post_id, created_at) where post_id is not null`,
  `create index events_by_account on events (social_account_id, created_at)
    where social_account_id is not null`,

  `create table webhook_subscriptions (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    environment text not null,
    name text,
    url text not null,
    events text[] not null,
    status text not null,
    disabled_reason text,
    disabled_at ${time},
    enabled_at ${time} not null default now(),
    failing_since ${time},
    secret bytea,
    secret_key_id text,
    secret_preview text not null,
    previous_secret bytea,
    previous_secret_key_id text,
    previous_secret_until ${time},
    deleted_at ${time},
    created_at ${time} not null default now()
  )`,
  `create index webhook_subscriptions_by_vault_key on webhook_subscriptions (secret_key_id)
    where secret_key_id is not null`,
  `create index webhook_subscriptions_by_previous_vault_key
    on webhook_subscriptions (previous_secret_key_id) where previous_secret_key_id is not null`,
  // With the deleted ones, whose deliveries are still listed.
  `create index webhook_subscriptions_by_project on webhook_subscriptions (project_id, id)`,
  `create index webhook_subscriptions_deleted on webhook_subscriptions (id)
    where deleted_at is not null`,

  // No foreign keys to events and webhooks, because this table is written most, and its rows outlive a
  // webhook.
  `create table deliveries (
    id ${id} primary key,
    project_id ${id} not null,
    webhook_id ${id} not null,
    event_id ${id} not null,
    event text not null,
    status text not null,
    trigger text not null,
    attempt_count int not null default 0,
    scheduled_attempts int not null default 0,
    ladder_start int not null default 0,
    next_attempt_at ${time},
    last_status_code int,
    last_error_code text,
    batch_id ${id},
    created_at ${time} not null default now(),
    concluded_at ${time},
    failed_at ${time},
    delivered_at ${time},
    is_delivered_manually boolean not null default false,
    replay_id ${id},
    unique (event_id, webhook_id)
  )`,
  `create index deliveries_by_webhook on deliveries (webhook_id, id)`,
  // Only successes of the retry schedule end a series of failures.
  `create index deliveries_last_delivered on deliveries (webhook_id, delivered_at)
    where delivered_at is not null and trigger <> 'test' and not is_delivered_manually`,
  `create index deliveries_failed on deliveries (webhook_id, failed_at)
    where failed_at is not null`,
  `create index deliveries_by_replay on deliveries (replay_id, status)
    where replay_id is not null`,
  // One index for all waiting deliveries. Deliveries that are not claimed have no batch, and are found by
  // webhook.
  `create index deliveries_waiting on deliveries (batch_id, webhook_id, id)
    where status = 'pending' or status = 'retrying'`,

  `create table delivery_attempts (
    delivery_id ${id} not null,
    number int not null,
    trigger text not null,
    started_at ${time} not null,
    timings jsonb not null,
    remote_address text,
    status_code int,
    error_code text,
    request_headers jsonb not null,
    response_headers jsonb,
    response_body text,
    next_attempt_at ${time},
    primary key (delivery_id, number)
  )`,

  `create table replays (
    id ${id} primary key,
    project_id ${id} not null references projects on delete cascade,
    webhook_id ${id} not null references webhook_subscriptions on delete cascade,
    environment text not null,
    status text not null,
    since ${time} not null,
    until ${time} not null,
    statuses text[] not null,
    matched int not null,
    reopened int not null default 0,
    delivered int not null default 0,
    failed int not null default 0,
    skipped int not null default 0,
    canceled int not null default 0,
    position ${id},
    workflow_id text not null,
    created_at ${time} not null default now(),
    concluded_at ${time}
  )`,
  `create index replays_by_webhook on replays (webhook_id, id)`,
  // At most one running replay for each webhook.
  `create unique index replays_running on replays (webhook_id) where status = 'running'`,

  `create table outbox (
    id ${id} primary key,
    -- Empty: the workflow serves several projects.
    project_id ${id} not null default '',
    workflow text not null,
    workflow_id text not null,
    input jsonb not null,
    start_at ${time},
    is_early boolean not null default false,
    claimed_until ${time},
    created_at ${time} not null default now()
  )`,
  // A relay claims rows of each project in turn, in the order in which their workflows begin.
  `create index outbox_projects on outbox (project_id, coalesce(start_at, created_at), id)
    where not is_early`,
  `create index outbox_early on outbox (start_at) where is_early`,
  `create index outbox_early_projects on outbox (project_id, start_at, id) where is_early`,
  // The sweeper leaves work alone whose workflow the relay has not started yet.
  `create index outbox_workflows on outbox (workflow_id)`,

  // Has one row. The process that moves swept_at forward does the sweep.
  // `zone_data`: version of the zone data that scheduled posts were last compared with.
  `create table sweeps (
    swept_at ${time} not null,
    zone_data text not null default '',
    zones_compared_at ${time} not null default '-infinity'
  )`,
  `insert into sweeps values ('-infinity')`,

  `create table changes (
    id bigint generated always as identity,
    xid xid8 not null default pg_current_xact_id(),
    project_id ${id} not null,
    subject text not null,
    subject_id ${id} not null,
    result_id ${id},
    kind text not null,
    environment text,
    actor jsonb,
    created_at ${time} not null default now(),
    primary key (xid, id)
  )`,
  // The table is written with every event and attempt, so it has few indexes. A third index would slow these
  // writes down by a tenth.
  `create index changes_by_project on changes (project_id, xid, id)`,
  `create index changes_of_deleted on changes (subject_id) where kind = 'deleted'`,

  // Transaction ids start over in a restored dump. The epoch distinguishes cursors from before and after.
  `create table feed_epoch (epoch text not null, pruned_xid xid8 not null default '0')`,
  `insert into feed_epoch (epoch) values (substr(md5(random()::text || clock_timestamp()::text), 1, 8))`,

  // Undoes everything that the statement with this call has written.
  `create function undo_statement() returns json language plpgsql as $$
    begin
      raise 'The statement was undone.' using errcode = 'FF001';
    end
  $$`,

  `create table idempotency_keys (
    project_id ${id} not null,
    key text not null,
    fingerprint bytea not null,
    environment text not null,
    scopes text[] not null,
    status int,
    answer bytea,
    answer_key_id text,
    only_for_key ${id},
    created_at ${time} not null default now(),
    primary key (project_id, key)
  )`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,

  // For each key that was ever used, a value that the key has sealed. A start checks its keys with these
  // values.
  `create table vault_keys (
    id ${id} primary key,
    check_value bytea not null
  )`,

  `create table activity_failures (
    workflow_id text primary key,
    activity text not null,
    error text not null,
    failures int not null default 1,
    failed_at ${time} not null default now()
  )`,
  `create index activity_failures_by_age on activity_failures (failed_at)`,

  // The sandbox network's own tables, as separate as another company's database.
  `create table sandbox_posts (
    id ${id} primary key,
    handle text not null,
    caption text not null,
    reference text,
    reply_to ${id},
    media text[] not null default '{}',
    is_hidden boolean not null default false,
    change_outcome text,
    change_times int,
    created_at ${time} not null default now()
  )`,
  `create index sandbox_posts_by_handle on sandbox_posts (handle, id)`,
  `create index sandbox_posts_by_reference on sandbox_posts (reference, id)`,
  `create index sandbox_posts_by_answered on sandbox_posts (reply_to) where reply_to is not null`,
  `create index sandbox_posts_by_age on sandbox_posts (created_at)`,
  `create table sandbox_media (
    id ${id} primary key,
    handle text not null,
    content_type text not null,
    bytes int not null,
    received_bytes int not null default 0,
    is_complete boolean not null default false,
    sha256 text,
    alt_text text,
    created_at ${time} not null default now()
  )`,
  `create index sandbox_media_by_age on sandbox_media (created_at)`,
  `create table sandbox_media_parts (
    media_id ${id} not null references sandbox_media on delete cascade,
    start_byte int not null,
    bytes bytea not null,
    primary key (media_id, start_byte)
  )`,
  // Not compressed, because images and videos already are. So a range can be read without the rest of its
  // part.
  `alter table sandbox_media_parts alter column bytes set storage external`,
  `create table sandbox_refusals (
    reference text primary key,
    count int not null,
    created_at ${time} not null default now()
  )`,
  `create index sandbox_refusals_by_age on sandbox_refusals (created_at)`,
  `create table sandbox_grants (
    id text primary key,
    handle text not null,
    code text unique,
    generation int not null default 1,
    is_expired boolean not null default false,
    is_revoked boolean not null default false,
    created_at ${time} not null default now()
  )`,
  `create index sandbox_grants_by_age on sandbox_grants (created_at)`,
];
