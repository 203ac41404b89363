// Media that a workflow fetches from their URL.
import { sql } from 'kysely';
import type { MediaErrorCode } from '../../media.ts';
import { ago, msUntil } from '../database-clock.ts';
import { insertChanges } from '../live/changes.ts';
import type { Notifier } from '../notifier.ts';
import { insertFetchMedia, isInOutbox } from '../outbox.ts';
import type { RowScope } from '../row-scope.ts';
import type { Db, Transaction } from '../tables.ts';
import { inTransaction } from '../transaction.ts';

/** Media whose bytes a workflow fetches. */
export async function insertFetches(
  trx: Transaction,
  { projectId, environment }: RowScope,
  fetches: { id: string; url: string }[],
): Promise<void> {
  for (const { id, url } of fetches) {
    const workflow_id = await insertFetchMedia(trx, projectId, { mediaId: id });
    const row = { id, url, workflow_id, project_id: projectId, environment };
    await trx
      .insertInto('media')
      .values({ ...row, status: 'pending' })
      .execute();
  }
  await insertChanges(
    trx,
    fetches.map(({ id }) => {
      return { project_id: projectId, subject: 'media', subject_id: id, kind: 'created' };
    }),
  );
}

/** Starts another fetch of media that wait for their next fetch, because their post is due earlier. */
export async function hurryFetches(trx: Transaction, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const waiting = await trx
    .selectFrom('media')
    .select(['id', 'project_id'])
    .where('id', 'in', ids)
    .where('status', '=', 'pending')
    .where('fetch_attempts', '>', 0)
    .execute();
  for (const { id, project_id } of waiting) {
    await insertFetchMedia(trx, project_id, { mediaId: id });
  }
}

/** Fetches unreachable media again. Returns the IDs of those that were deleted. */
export async function refetchMedia(trx: Transaction, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await trx
    .selectFrom('media')
    .select(['id', 'project_id', 'status', 'error_code'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  for (const { id, project_id, status, error_code } of found) {
    if (status !== 'failed' || error_code !== 'media_unreachable') continue;
    await trx
      .updateTable('media')
      .set({
        status: 'pending',
        error_code: null,
        error_message: null,
        fetch_attempts: 0,
        // New bytes will come.
        is_emptied: false,
        workflow_id: await insertFetchMedia(trx, project_id, { mediaId: id }),
        updated_at: sql<Date>`now()`,
      })
      .where('id', '=', id)
      .execute();
    await insertChanges(trx, [{ project_id, subject: 'media', subject_id: id, kind: 'retried' }]);
  }
  const kept = new Set(found.filter(({ status }) => status !== 'deleted').map(({ id }) => id));
  return ids.filter((id) => !kept.has(id));
}

/** Counts a failed fetch, and keeps its error until the next one. */
export async function countFailedFetch(
  db: Db,
  mediaId: string,
  message: string,
): Promise<{ failures: number; dueInMs: number | null }> {
  const row = await db
    .updateTable('media')
    .set({
      fetch_attempts: sql`fetch_attempts + 1`,
      error_message: message,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', mediaId)
    .where('status', '=', 'pending')
    .returning('fetch_attempts')
    .executeTakeFirst();
  const due = await db
    .selectFrom('media_uses as u')
    .innerJoin('posts as p', 'p.id', 'u.post_id')
    .select(msUntil(sql`min(p.due_at)`).as('ms'))
    .where('u.media_id', '=', mediaId)
    .where('p.status', 'in', ['scheduled', 'pending'])
    .executeTakeFirstOrThrow();
  return { failures: row?.fetch_attempts ?? 0, dueInMs: due.ms };
}

/** Nothing happens to media that are no longer waiting for their bytes. */
export async function failMedia(
  trx: Transaction,
  mediaId: string,
  code: MediaErrorCode,
  message: string,
): Promise<void> {
  const row = await trx
    .updateTable('media')
    .set({
      status: 'failed',
      error_code: code,
      error_message: message,
      writer_id: null,
      writer_until: null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', mediaId)
    .where('status', '=', 'pending')
    .returning('project_id')
    .executeTakeFirst();
  if (!row) return;
  const { project_id } = row;
  await insertChanges(trx, [{ project_id, subject: 'media', subject_id: mediaId, kind: 'failed' }]);
}

const maxListed = 200;

/**
 * Lists the fetches in random order, so that fetches that only wait don't hide fetches whose workflow is
 * lost.
 */
export function listWaitingFetches(
  db: Db,
  overdueMs: number,
): Promise<{ id: string; workflow_id: string }[]> {
  return (
    db
      .selectFrom('media')
      .select(['id', 'workflow_id'])
      // Not a parameter, because Postgres must recognize the condition of the partial index.
      .where(sql<boolean>`status = 'pending' and workflow_id is not null`)
      .where('updated_at', '<', ago(overdueMs))
      .where((eb) => eb.not(isInOutbox('media')))
      .orderBy(sql`random()`)
      .limit(maxListed)
      .$narrowType<{ workflow_id: string }>()
      .execute()
  );
}

/** False: the media wait for nothing, or have another workflow. */
export async function restartFetch(
  db: Db,
  notifier: Notifier,
  mediaId: string,
  lostWorkflowId: string,
): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const row = await trx
      .selectFrom('media')
      .select(['status', 'workflow_id', 'project_id'])
      .where('id', '=', mediaId)
      .forUpdate()
      .executeTakeFirst();
    if (row?.status !== 'pending' || row.workflow_id !== lostWorkflowId) return false;
    const workflow_id = await insertFetchMedia(trx, row.project_id, { mediaId });
    await trx.updateTable('media').set({ workflow_id }).where('id', '=', mediaId).execute();
    return true;
  });
}
