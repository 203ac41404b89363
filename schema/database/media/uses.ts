// Which posts use which media.
import { sql } from 'kysely';
import { insertionOf } from '../live/changes.ts';
import type { MediaItem, Transaction } from '../tables.ts';

export function idsOf(items: MediaItem[]): string[] {
  return items.flatMap(({ id, thumbnail_id }) => [id ?? [], thumbnail_id ?? []].flat());
}

/**
 * Records that the post uses these media. Returns those that were deleted meanwhile, or are not usable.
 * Locks the media, so that no one deletes them until the end of the transaction. `keepsLost`: the post also keeps
 * the rows of media that were deleted or have failed.
 */
export async function attachMedia(
  trx: Transaction,
  postId: string,
  mediaIds: string[],
  { keepsLost = false } = {},
): Promise<string[]> {
  const ids = [...new Set(mediaIds)];
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with usable as (
      select id, project_id, status from media
      where id = any(${ids}::text[]) and (status in ('uploaded', 'attached')
        or (status = 'pending' and url is not null))
      order by id for no key update
    ), attached as (
      update media set status = 'attached', updated_at = now()
      where id in (select id from usable where status = 'uploaded')
      returning id, project_id
    ), change as (
      ${insertionOf(trx, { subject: 'media', kind: 'attached', from: sql`attached` })}
    ), used as (
      insert into media_uses (media_id, post_id) select id, ${postId} from media
      where id = any(${ids}::text[])
        and (id in (select id from usable) or (${keepsLost} and status in ('deleted', 'failed')))
      on conflict do nothing
    )
    select id from usable`.execute(trx);
  const usable = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !usable.has(id));
}

/** Removes the post's uses of all other media. */
export async function detachOtherMedia(
  trx: Transaction,
  postId: string,
  keptIds: string[],
): Promise<void> {
  await trx
    .deleteFrom('media_uses')
    .where('post_id', '=', postId)
    .where(sql<boolean>`media_id <> all(${keptIds}::text[])`)
    .execute();
}

export async function isAttached(trx: Transaction, mediaId: string): Promise<boolean> {
  const use = await trx
    .selectFrom('media_uses')
    .select('post_id')
    .where('media_id', '=', mediaId)
    .limit(1)
    .executeTakeFirst();
  return use !== undefined;
}

/** A post that still needs the media: a draft, or one that is scheduled or being published. */
export async function findUnfinishedPost(
  trx: Transaction,
  projectId: string,
  mediaId: string,
): Promise<{ id: string; status: string } | undefined> {
  return trx
    .selectFrom('media_uses as u')
    .innerJoin('posts as p', 'p.id', 'u.post_id')
    .select(['p.id', 'p.status'])
    .where('p.project_id', '=', projectId)
    .where('u.media_id', '=', mediaId)
    .where('p.status', 'in', ['draft', 'scheduled', 'pending'])
    .orderBy('p.id')
    .limit(1)
    .executeTakeFirst();
}
