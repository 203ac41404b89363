// Statements that Postgres plans once for each connection, instead of at every call.
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { QueryConfig } from 'pg';
import type { Channel } from './notifier.ts';
import type {
  AccountUsageRow,
  IdempotencyKeyRow,
  MediaRow,
  OutboxRow,
  PostResultRow,
  PostRow,
  SocialAccountRow,
  Transaction,
  Writer,
} from './tables.ts';

type Executor = Pick<Transaction, 'getExecutor'>;

interface Statement<Row> {
  compile(db: Executor): CompiledQuery<Row>;
}

/** Each connection keeps the statement by its name. All statements of a name must have the same text. */
export function executePrepared<Row>(
  db: Executor,
  name: string,
  statement: Statement<Row>,
): Promise<Row[]> {
  return execute(db, name, statement.compile(db));
}

async function execute<Row>(
  db: Executor,
  name: string,
  compiled: CompiledQuery<Row>,
): Promise<Row[]> {
  // pg takes a named statement in place of a text, and Kysely passes it on. Kysely's types allow only a text.
  const named = { name, text: compiled.sql } satisfies QueryConfig as unknown as string;
  const { rows } = await db.getExecutor().executeQuery<Row>({ ...compiled, sql: named });
  return rows;
}

/**
 * A statement of one text, which is compiled once in this process too. `build` must pass the members of
 * `given` on as parameters, because it gets placeholders instead of their values.
 */
export function prepare<Given extends object, Row>(
  name: string,
  build: (given: Given) => Statement<Row>,
): (db: Executor, given: Given) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  return (db, given) => {
    compiled ??= build(placeholders as Given).compile(db);
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? given[parameter.member as keyof Given] : parameter,
    );
    return execute(db, name, { ...compiled, parameters });
  };
}

/** `prepare` for a statement that notifies other processes. `build` names the channels to `writer`. */
export function prepareWrite<Given extends object, Row>(
  name: string,
  build: (given: Given, writer: Pick<Writer, 'notifyAfterCommit'>) => Statement<Row>,
): (writer: Writer, given: Given) => Promise<Row[]> {
  const channels = new Set<Channel>();
  const notifyAfterCommit = (channel: Channel) => void channels.add(channel);
  const run = prepare<Given, Row>(name, (given) => build(given, { notifyAfterCommit }));
  return async (writer, given) => {
    const rows = await run(writer, given);
    channels.forEach((channel) => writer.notifyAfterCommit(channel));
    return rows;
  };
}

class Placeholder {
  readonly member: PropertyKey;

  constructor(member: PropertyKey) {
    this.member = member;
  }
}

const placeholders = new Proxy({}, { get: (_, member) => new Placeholder(member) });

/** A test compares the names with the database. */
const columns = <Row>(names: string) => names.trim().split(/\s+/) as (keyof Row & string)[];

/**
 * The columns of the tables that prepared statements read whole. A prepared statement can't select `*`: Postgres refuses
 * to run it once a migration has added a column, since its result has changed.
 */
export const wholeTables = {
  posts: columns<PostRow>(`id project_id environment caption status scheduled_at schedule publish_by
    queue_id published_at media auto_fit metadata labels created_by current_run started_run
    concluded_run workflow_id created_at due_at run_due_at is_removing restored_at progressed_at
    revision updated_at`),
  post_results: columns<PostResultRow>(`id post_id project_id position social_account_id platform
    account_name caption kind step answers_result_id thread_position in_reply_to media content_hash
    platform_options default_options status operation phase phase_state provider_state
    provider_state_key_id clock external_id url visibility published_at edited_at unpublished_at
    follow_at follow_until error_code error_message failure_stage platform_error_code provider_error
    is_retriable next_action attempts steps next_attempt_at begun_at heartbeat_at usage_month
    is_paused is_erased checked_at revision updated_at`),
  media: columns<MediaRow>(`id project_id environment status source_media_id rendition filename url
    content_type declared_bytes upload_total declared_hash received_bytes kind size_bytes sha256
    width height duration_ms needs_cleaning error_code error_message upload_token_hash
    upload_expires_at writer_id writer_until fetch_attempts is_emptied workflow_id created_at
    updated_at`),
  social_accounts: columns<SocialAccountRow>(`id project_id grant_id platform account_name
    display_name picture_url external_account_id external_user_id external_user_email
    connection_type environment status scope traits default_options connected_at disconnected_at
    erase_at is_erased`),
  outbox: columns<OutboxRow>(`id project_id workflow workflow_id input start_at is_early
    claimed_until created_at`),
  idempotency_keys: columns<IdempotencyKeyRow>(`project_id key fingerprint environment scopes status
    answer answer_key_id only_for_key created_at`),
  account_usage: columns<AccountUsageRow>(
    `social_account_id month published warned_at exceeded_at`,
  ),
};

/** SQL: every column of the table, whose name or alias is `table`. */
export const allOf = (names: readonly string[], table: string): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql.ref(`${table}.${name}`)));
