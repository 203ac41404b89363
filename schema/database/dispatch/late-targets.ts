// For operators: how many targets of due posts are open, for which reasons, and their last errors.
import { sql } from 'kysely';
import type { PlatformName } from '../../platforms/index.ts';
import { isOpenRow } from '../posts/targets.ts';
import { reasonOf, waitFacts, type OpenReason, type WaitFacts } from '../posts/wait-reason.ts';
import type { Db } from '../tables.ts';
import { toLine } from './activity-failures.ts';

export interface WaitingTargets {
  platform: PlatformName;
  reason: OpenReason;
  count: number;
  /** How long the oldest of these targets has been due. */
  overdueS: number;
}

/** A scrape reads the targets of this many posts at most, the oldest first. */
const countedPosts = 10_000;

export async function countWaitingTargets(db: Db): Promise<WaitingTargets[]> {
  // `offset 0` makes Postgres find the targets post by post, by their index.
  const { rows } = await sql<WaitFacts & Omit<WaitingTargets, 'reason'>>`
    with due as materialized (
      select id, run_due_at from posts
      where (status = 'pending' or status = 'scheduled') and run_due_at < now()
      order by run_due_at, id limit ${countedPosts}
    )
    select target.platform, ${factColumns}, count(*)::int as count,
      extract(epoch from now() - min(due.run_due_at))::float8 as "overdueS"
    from due cross join lateral (
      select r.platform, ${waitFacts} from post_results r
      left join post_results answered on answered.id = r.answers_result_id
      where r.post_id = due.id and ${isOpenRow('r')} offset 0
    ) as target
    group by target.platform, ${factColumns}`.execute(db);
  const groups = new Map<string, WaitingTargets>();
  for (const row of rows) {
    const { platform, count, overdueS } = row;
    const reason = reasonOf(row);
    const key = `${platform}/${reason}`;
    const same = groups.get(key) ?? { platform, reason, count: 0, overdueS: 0 };
    groups.set(key, {
      ...same,
      count: same.count + count,
      overdueS: Math.max(same.overdueS, overdueS),
    });
  }
  return [...groups.values()];
}

const factColumns = sql`target.phase, target.phase_state, target.is_paused, target.is_timed,
  target.is_slot, target.is_answer_open, target.clock_keys`;

export interface LateTarget {
  id: string;
  post_id: string;
  platform: PlatformName;
  reason: OpenReason;
  next_attempt_at: Date | null;
  attempts: number;
  /**
   * Error of the media that the target waits for, or else of its last failed call. Null: there is neither.
   */
  last_error: string | null;
}

/** SQL: the IDs of the media of `post_results as r`. */
const idsOfMedia = sql`array(
  select unnest(array[item ->> 'id', item ->> 'thumbnail_id'])
  from jsonb_array_elements(
    coalesce(r.media, (select media from posts where posts.id = r.post_id))
  ) as item)`;

/** The open targets of these posts, in the order of each post. */
export async function listLateTargets(db: Db, postIds: string[]): Promise<LateTarget[]> {
  const { rows } = await sql<WaitFacts & Omit<LateTarget, 'reason'>>`
    select r.id, r.post_id, r.platform, r.next_attempt_at, r.attempts, ${waitFacts},
      coalesce(
        (select concat_ws(': ', media.id, media.error_message)
          from media
          where r.clock ? 'mediaDelayMs' and media.id = any(${idsOfMedia})
            and media.status = 'pending' and media.error_message is not null
          order by media.id limit 1),
        (select concat_ws(': ', outcome, nullif(error_code, outcome), error_message) from post_attempts
          where result_id = r.id and error_message is not null
          order by number desc limit 1)) as last_error
    from post_results r left join post_results answered on answered.id = r.answers_result_id
    where r.post_id = any(${postIds}) and ${isOpenRow('r')}
    order by r.post_id, r.position`.execute(db);
  return rows.map((row) => ({
    ...row,
    reason: reasonOf(row),
    last_error: row.last_error && toLine(row.last_error),
  }));
}
