// Targets as the engine reads them: their state, the pauses and limits that hold them, restores.
import { sql } from 'kysely';
import { mediaErrorOf, postingErrors } from '../../posts/errors.ts';
import type { ResultStatus } from '../../posts/posts.ts';
import { executePrepared, wholeTables } from '../prepared.ts';
import type { Db, MediaItem, MediaRow, PostResultRow } from '../tables.ts';
import type { LoginRow } from '../accounts/credentials.ts';
import { isUnderPause } from '../pauses.ts';
import { limitKeys, quotaKey } from './rate-limits.ts';

/** The target, comment or step has not ended. */
export const isOpen = (status: ResultStatus | null) =>
  status === 'pending' || status === 'publishing';

/** `isOpen` as an SQL condition on `post_results` or its alias. */
export const isOpenRow = (results: string) =>
  sql<boolean>`${sql.ref(`${results}.status`)} in ('pending', 'publishing')`;

/** The steps after the publication of this target. */
export function findSteps<Row extends PostResultRow>(results: Row[], resultId: string): Row[] {
  return results.filter((row) => row.kind === 'step' && row.answers_result_id === resultId);
}

export function findFirstComment<Row extends PostResultRow>(
  results: Row[],
  resultId: string,
): Row | undefined {
  return results.find((row) => row.kind === 'comment' && row.answers_result_id === resultId);
}

/** SQL: when the database was last restored to a state that contains the post; null: never. */
function restoredAt(posts: string) {
  return sql<Date | null>`greatest(${sql.ref(`${posts}.restored_at`)}, (
    select restored_at from restores where restored_at >= ${sql.ref(`${posts}.created_at`)}))`;
}

/** SQL: the network must be checked for the post before anything is sent. */
export function mustCheck(results: string, posts: string) {
  return sql<boolean>`coalesce(
    ${restoredAt(posts)} > coalesce(${sql.ref(`${results}.checked_at`)}, '-infinity'), false)`;
}

/** SQL: the post was due before the restore, so its targets may be public although their rows are open. */
export function wasDueBeforeRestore(posts: string) {
  const column = (name: string) => sql.ref(`${posts}.${name}`);
  return sql<boolean>`coalesce(
    ${column('due_at')} <= ${restoredAt(posts)} or ${column('concluded_run')} > 0, false)`;
}

/** SQL: the deadline of a post; null: none. */
export function deadlineOfPost(posts: string) {
  const column = (name: string) => sql.ref(`${posts}.${name}`);
  return sql<Date | null>`coalesce(${column('publish_by')},
    coalesce(${column('due_at')}, ${column('created_at')}) + (
      select make_interval(secs => publish_within_s) from projects where id = ${column('project_id')}))`;
}

/** A result with everything that decides its target's next step, from one statement. */
export interface TargetRow extends PostResultRow {
  post_caption: string;
  post_media: MediaItem[];
  auto_fit: boolean;
  current_run: number;
  /** When the post was due. */
  due_at: Date;
  /**
   * From this time on, nothing is sent. Null: there is no such time. A reply has no deadline, because the
   * post before it is public.
   */
  deadline: Date | null;
  /** The database was restored, so the network is checked for the post before anything is sent. */
  must_check: boolean;
  /** With `must_check`: the post may already be public. */
  was_due: boolean;
  /** Status of the result that the target replies to. */
  answered_status: ResultStatus | null;
  answered_external_id: string | null;
  /** Undefined: the account is not active. */
  login: LoginRow | undefined;
  /** The grant of the account. Null: the account is disconnected. */
  grant_id: string | null;
  /** The app of that login; null: none. */
  app_id: string | null;
  /** Until this time, the network refuses calls of the account, its grant or its app. */
  blocked_until: Date | null;
  /** Until this time, the app has used up its quota. */
  no_quota_until: Date | null;
  /** The operator has paused the network or the project. */
  is_sending_paused: boolean;
  /** Database time of this read. */
  read_at: Date;
}

/** The error of a target that needs these failed media. */
export function mediaFailureOf({ error_code, error_message }: MediaRow) {
  const code = mediaErrorOf(error_code!);
  return { code, message: error_message ?? postingErrors[code].message };
}

/** The target's own media, or else the post's. */
export function mediaOf({
  media,
  post_media,
}: Pick<TargetRow, 'media' | 'post_media'>): MediaItem[] {
  return media ?? post_media;
}

/** The options that the target is published with. An option that is null has no value, not even a default. */
export function optionsOf({
  platform_options,
  default_options,
}: Pick<TargetRow, 'platform_options' | 'default_options'>): Record<string, unknown> {
  const options = Object.entries({ ...default_options, ...platform_options });
  return Object.fromEntries(options.filter(([, value]) => value !== null));
}

export async function findTarget(db: Db, resultId: string): Promise<TargetRow | undefined> {
  const [target] = await findTargets(db, [resultId]);
  return target;
}

/** In no order. The login of each is read with it, since most targets need both. */
export async function findTargets(db: Db, resultIds: readonly string[]): Promise<TargetRow[]> {
  const targets = db
    .selectFrom('post_results as r')
    .innerJoin('posts as p', 'p.id', 'r.post_id')
    .innerJoin('social_accounts as account', 'account.id', 'r.social_account_id')
    .leftJoin('grants', 'grants.id', 'account.grant_id')
    .leftJoin('platform_apps as app', 'app.id', 'grants.app_id')
    .leftJoin('post_results as answered', 'answered.id', 'r.answers_result_id')
    .select(wholeTables.post_results.map((column) => `r.${column}` as const))
    .select(['p.caption as post_caption', 'p.media as post_media', 'p.auto_fit', 'p.current_run'])
    .select(({ fn }) => fn.coalesce('p.due_at', 'p.created_at').as('due_at'))
    .select([mustCheck('r', 'p').as('must_check'), wasDueBeforeRestore('p').as('was_due')])
    .select(['grants.id as grant_id', 'grants.app_id', 'account.status as account_status'])
    .select(['account.external_account_id', 'account.traits', 'grants.credentials'])
    .select(['grants.credentials_key_id', 'grants.credential_version'])
    .select(['app.client_id', 'app.client_secret', 'app.client_secret_key_id', 'app.settings'])
    .select('answered.status as answered_status')
    .select('answered.external_id as answered_external_id')
    .select(
      sql<Date | null>`case when r.answers_result_id is null then ${deadlineOfPost('p')} end`.as(
        'deadline',
      ),
    )
    .select(sql<Date>`now()`.as('read_at'))
    .select((eb) => [
      eb
        .selectFrom('rate_limits')
        .select(({ fn }) => fn.max('blocked_until').as('until'))
        .where('key', 'in', limitKeys('r', 'grants'))
        .as('blocked_until'),
      eb
        .selectFrom('rate_limits')
        .select('blocked_until as until')
        .where('key', '=', quotaKey('r', 'grants'))
        .as('no_quota_until'),
      isUnderPause('r').as('is_sending_paused'),
    ])
    .where(sql<boolean>`r.id = any(${resultIds}::text[])`);
  const rows = await executePrepared(db, 'find_targets', targets);
  return rows.map(({ account_status, external_account_id, traits, ...row }) => {
    const { credentials, credentials_key_id, credential_version, ...others } = row;
    const { client_id, client_secret, client_secret_key_id, settings, ...target } = others;
    const { grant_id: id, app_id, social_account_id: account_id } = target;
    const app = { app_id, client_id, client_secret, client_secret_key_id, settings };
    const login =
      account_status === 'active' && id !== null && credential_version !== null
        ? {
            account_id,
            external_account_id,
            traits,
            id,
            credentials,
            credentials_key_id,
            credential_version,
            ...app,
          }
        : undefined;
    return { ...target, login };
  });
}

/** The post of this result, if all of its targets and comments have ended. */
export async function findFinishedPost(db: Db, resultId: string): Promise<string | undefined> {
  const statement = sql<{ post_id: string }>`
    select post_id from post_results r
    where id = ${resultId} and not exists (
      select from post_results
      where post_id = r.post_id and ${isOpenRow('post_results')}
    )`;
  const [finished] = await executePrepared(db, 'find_finished_post', statement);
  return finished?.post_id;
}

/**
 * Marks the target as paused: no workflow advances it until the pause ends. False: the pause has ended, or
 * another execution has changed the row. The row lock on the pause delays its deletion until this transaction
 * has ended.
 */
export async function setPaused(db: Db, row: TargetRow): Promise<boolean> {
  const paused = await db
    .updateTable('post_results')
    .set({ is_paused: true, clock: sql`clock - 'prepareSinceMs'` })
    .where('id', '=', row.id)
    .where('steps', '=', row.steps)
    .where(isOpenRow('post_results'))
    .where(
      sql<boolean>`exists (
        select from sending_pauses where scope in (${row.platform}, ${row.project_id})
        for key share)`,
    )
    .returning('id')
    .executeTakeFirst();
  return paused !== undefined;
}
