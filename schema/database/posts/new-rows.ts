// The rows of a new post: what its insertion sets, and the whole rows as Postgres then has them.
import { sql, type RawBuilder } from 'kysely';
import { environmentOf, type KeyEnvironment } from '../../api-keys.ts';
import type { PlatformName } from '../../platforms/index.ts';
import type { PostResultRow, PostRow } from '../tables.ts';
import type { PostWithResults, ResultRow } from './posts.ts';

/** `environment`: of a post without targets. Default: production. */
export type NewPost = Pick<PostRow, 'id' | 'project_id' | 'caption' | 'status' | 'created_at'> &
  Partial<
    Pick<
      PostRow,
      | 'environment'
      | 'scheduled_at'
      | 'schedule'
      | 'publish_by'
      | 'queue_id'
      | 'media'
      | 'auto_fit'
      | 'metadata'
      | 'labels'
      | 'created_by'
      | 'current_run'
      | 'workflow_id'
    >
  >;

export type NewResult = Pick<
  PostResultRow,
  | 'id'
  | 'post_id'
  | 'project_id'
  | 'position'
  | 'social_account_id'
  | 'platform'
  | 'account_name'
  | 'status'
  | 'phase'
  | 'phase_state'
> &
  Partial<
    Pick<
      PostResultRow,
      | 'caption'
      | 'kind'
      | 'step'
      | 'answers_result_id'
      | 'thread_position'
      | 'in_reply_to'
      | 'media'
      | 'platform_options'
      | 'default_options'
      | 'usage_month'
    >
  > & {
    /** `\x` and hex. */
    content_hash?: string | null;
  };

/** The columns that have no value in a new result, or the value that the table gives them. */
const blankResult = {
  caption: null,
  kind: 'post',
  step: null,
  answers_result_id: null,
  thread_position: null,
  in_reply_to: null,
  media: null,
  platform_options: {},
  default_options: null,
  operation: null,
  provider_state: null,
  provider_state_key_id: null,
  clock: {},
  external_id: null,
  url: null,
  visibility: null,
  published_at: null,
  edited_at: null,
  unpublished_at: null,
  follow_at: null,
  follow_until: null,
  error_code: null,
  error_message: null,
  failure_stage: null,
  platform_error_code: null,
  provider_error: null,
  is_retriable: false,
  next_action: 'none',
  attempts: 0,
  steps: 0,
  next_attempt_at: null,
  begun_at: null,
  heartbeat_at: null,
  usage_month: null,
  is_paused: false,
  is_erased: false,
  checked_at: null,
  revision: 0,
} as const satisfies Partial<PostResultRow>;

/** The post as a read after the insertion returns it. */
export function toNewPost(post: NewPost, results: readonly NewResult[]): PostRow {
  const { created_at, environment = 'production', scheduled_at = null, status } = post;
  return {
    schedule: null,
    publish_by: null,
    queue_id: null,
    published_at: null,
    media: [],
    auto_fit: true,
    metadata: {},
    labels: [],
    created_by: null,
    current_run: 0,
    started_run: 0,
    concluded_run: 0,
    workflow_id: null,
    is_removing: false,
    restored_at: null,
    revision: 1,
    ...post,
    environment: results.length === 0 ? environment : environmentOfTargets(results),
    scheduled_at,
    due_at: status === 'draft' ? null : (scheduled_at ?? created_at),
    run_due_at: scheduled_at ?? created_at,
    progressed_at: created_at,
    updated_at: created_at,
  };
}

/** The rows as a read after the insertion returns them, so that an answer can be made before it. */
export function toNewRows(post: NewPost, results: readonly NewResult[]): PostWithResults {
  return {
    post: toNewPost(post, results),
    results: results.map((result): ResultRow => ({
      ...blankResult,
      ...result,
      // Only statements read it.
      content_hash: null,
      updated_at: post.created_at,
      changes: [],
    })),
  };
}

/** `test` only if every target is a test target, since test keys must not see other targets. */
export function environmentOfTargets(
  targets: readonly { platform: PlatformName }[],
): KeyEnvironment {
  const isTest = targets.every(({ platform }) => environmentOf(platform) === 'test');
  return isTest ? 'test' : 'production';
}

/**
 * SQL that inserts results. `json`: an array of `NewResult`. `from`: another source, which decides whether
 * they are inserted.
 */
export function insertionOfResults(json: string, from?: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into post_results (id, post_id, project_id, position, social_account_id, platform,
      account_name, caption, kind, step, answers_result_id, thread_position, in_reply_to, media,
      content_hash, platform_options, default_options, usage_month, status, phase, phase_state,
      updated_at)
    select target.id, post_id, project_id, position, social_account_id, platform, account_name, caption,
      coalesce(kind, 'post'), step, answers_result_id, thread_position, in_reply_to, media,
      content_hash::bytea, coalesce(platform_options, '{}'), default_options, usage_month, status,
      phase, phase_state, ${from ? sql`created_at` : sql`now()`}
    from jsonb_to_recordset(${json}::jsonb) as target (id text, post_id text, project_id text,
      position int, social_account_id text, platform text, account_name text, caption text, kind text,
      step text, answers_result_id text, thread_position int, in_reply_to text, media jsonb,
      content_hash text, platform_options jsonb, default_options jsonb, usage_month text, status text,
      phase text, phase_state text)${from ? sql`, ${from}` : sql``}`;
}
