// Targets as the engine finds them, with all that decides what they do next, and how a pause holds them.
import { sql } from 'kysely';
import type { ResultStatus } from '../../posts/posts.ts';
import type { Db, PostResultRow } from '../tables.ts';
import { isOpenRow } from './open-results.ts';
import { mustCheck, wasDueBeforeRestore } from './restored-at.ts';
import { isUnderPause } from '../dispatch/pauses.ts';

/** A result with all that decides what its target does next, read at once. */
export interface TargetRow extends PostResultRow {
  post_caption: string;
  post_media_urls: string[];
  current_run: number;
  /** When the post was to go out. */
  due_at: Date;
  /** The database was restored: its network is asked for the post before anything is sent. */
  must_check: boolean;
  /** Where it must be checked: it may be public already. */
  was_due: boolean;
  /** Of the row that it answers. */
  answered_status: ResultStatus | null;
  answered_external_id: string | null;
  /** The network takes nothing until then, of the account or of the whole app. */
  blocked_until: Date | null;
  /** The operator has paused its network or its project. */
  is_sending_paused: boolean;
  /** Database time of this read. */
  read_at: Date;
}

export async function findTarget(db: Db, resultId: string): Promise<TargetRow | undefined> {
  return db
    .selectFrom('post_results as r')
    .innerJoin('posts as p', 'p.id', 'r.post_id')
    .leftJoin('post_results as answered', 'answered.id', 'r.answers_result_id')
    .modifyFront(sql.raw('/* prepared: find_target */'))
    .selectAll('r')
    .select(['p.caption as post_caption', 'p.media_urls as post_media_urls', 'p.current_run'])
    .select(({ fn }) => fn.coalesce('p.due_at', 'p.created_at').as('due_at'))
    .select([mustCheck('r', 'p').as('must_check'), wasDueBeforeRestore('p').as('was_due')])
    .select('answered.status as answered_status')
    .select('answered.external_id as answered_external_id')
    .select(sql<Date>`now()`.as('read_at'))
    .select((eb) => [
      eb
        .selectFrom('rate_limits')
        .select(({ fn }) => fn.max('blocked_until').as('until'))
        .where('key', 'in', [
          sql<string>`'app/' || r.platform`,
          // Ids have a collation of their own, in which the keys' index does not serve.
          sql<string>`('account/' || r.social_account_id) collate "default"`,
        ])
        .as('blocked_until'),
      isUnderPause('r').as('is_sending_paused'),
    ])
    .where('r.id', '=', resultId)
    .executeTakeFirst();
}

/** The post of this result, when none of its targets and comments is on its way any more. */
export async function findFinishedPost(db: Db, resultId: string): Promise<string | undefined> {
  const { rows } = await sql<{ post_id: string }>`
    /* prepared: find_finished_post */
    select post_id from post_results r
    where id = ${resultId} and not exists (
      select from post_results
      where post_id = r.post_id and ${isOpenRow('post_results')}
    )`.execute(db);
  return rows[0]?.post_id;
}

/**
 * Leaves the target to whoever resumes: no workflow carries it until then. False: the pause has ended,
 * or another execution was here. Whoever ends a pause waits for this, so that none is left behind.
 */
export async function setPaused(db: Db, row: TargetRow): Promise<boolean> {
  const paused = await db
    .updateTable('post_results')
    .set({ is_paused: true })
    .where('id', '=', row.id)
    .where('steps', '=', row.steps)
    .where(isOpenRow('post_results'))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('sending_pauses')
          .select('scope')
          .where('scope', 'in', [row.platform, row.project_id])
          .forKeyShare(),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return paused !== undefined;
}
