// Scheduled posts with a local time, which new zone data may move.
import { sql } from 'kysely';
import type { PostSchedule } from '../../posts/schedule.ts';
import { monthOf, moveUsage } from '../accounts/usage.ts';
import { ago, inMs } from '../database-clock.ts';
import { recordEvent } from '../events/record.ts';
import { insertChanges } from '../live/changes.ts';
import { lockPostAfterResults } from '../posts/changes.ts';
import { toScheduledEvent } from '../posts/outcome-event.ts';
import { getPostRow } from '../posts/posts.ts';
import { startRun } from '../posts/runs.ts';
import type { Db, Transaction } from '../tables.ts';

/** Posts that are due earlier are never moved. */
const leastAheadMs = 86_400_000;

/**
 * Whether posts are to be compared with zone data of this version, such as `2026c`: if the last comparison had older
 * data, or was `everyMs` ago. Older data never undo what newer data did.
 */
export async function isComparisonDue(db: Db, version: string, everyMs: number): Promise<boolean> {
  const { rows } = await sql<{ is_due: boolean }>`
    select zone_data collate "C" < ${version}
      or (zone_data = ${version} and zones_compared_at < ${ago(everyMs)}) as is_due
    from sweeps`.execute(db);
  return rows[0]!.is_due;
}

/** Call it once all posts have been compared with zone data of this version. */
export async function setCompared(db: Db, version: string): Promise<void> {
  await db
    .updateTable('sweeps')
    .set({ zone_data: version, zones_compared_at: sql<Date>`now()` })
    .execute();
}

export interface ZonedPost {
  id: string;
  scheduled_at: Date;
  schedule: PostSchedule;
}

export const firstZonedPost: Pick<ZonedPost, 'id' | 'scheduled_at'> = {
  id: '',
  scheduled_at: new Date(0),
};

/** In the order of their times, starting after `after`. */
export async function listZonedPosts(
  db: Db,
  after: Pick<ZonedPost, 'id' | 'scheduled_at'>,
  limit: number,
): Promise<ZonedPost[]> {
  const { rows } = await sql<ZonedPost>`
    select id, scheduled_at, schedule from posts
    where status = 'scheduled' and schedule is not null and scheduled_at > ${inMs(leastAheadMs)}
      and (scheduled_at, id) > (${after.scheduled_at}, ${after.id})
    order by scheduled_at, id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Reschedules a post, as its client could. False: the post has changed since it was listed, or would be due after its
 * deadline. Usage follows into another month, whatever its limit there.
 */
export async function moveZonedPost(
  trx: Transaction,
  { id, scheduled_at }: ZonedPost,
  moved: { at: Date; schedule: PostSchedule },
  config: { previewEvents: boolean },
): Promise<boolean> {
  const post = await lockPostAfterResults(trx, id);
  const { at, schedule } = moved;
  const isListed =
    post?.status === 'scheduled' &&
    post.schedule?.local === schedule.local &&
    post.schedule.timezone === schedule.timezone &&
    post.scheduled_at?.getTime() === scheduled_at.getTime();
  if (!isListed || (post.publish_by && post.publish_by <= at)) return false;
  await startRun(trx, post, { status: 'scheduled', scheduledAt: at, schedule });
  const { project_id } = post;
  const scope = { projectId: project_id, environment: 'production' } as const;
  const written = await getPostRow(trx, scope, id);
  const month = monthOf(at);
  const counted = written.results.filter(({ usage_month }) => usage_month !== null);
  const moves = counted.map(({ id: resultId }) => ({ resultId, month }));
  await moveUsage(trx, project_id, moves);
  await insertChanges(trx, [{ project_id, subject: 'post', subject_id: id, kind: 'rescheduled' }]);
  await recordEvent(trx, toScheduledEvent(written), config);
  return true;
}
