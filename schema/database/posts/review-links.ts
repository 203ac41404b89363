// Queries on links to the page on which a creator reviews a post.
import { sql } from 'kysely';
import { inMs } from '../database-clock.ts';
import type { Db, ReviewLinkRow, Transaction } from '../tables.ts';

export function insertReviewLink(
  trx: Transaction,
  {
    forMs,
    ...link
  }: Pick<ReviewLinkRow, 'id' | 'project_id' | 'post_id' | 'social_account_id' | 'token_hash'> & {
    forMs: number;
  },
): Promise<ReviewLinkRow> {
  return trx
    .insertInto('review_links')
    .values({ ...link, expires_at: inMs(forMs) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface FoundReviewLink extends ReviewLinkRow {
  has_expired: boolean;
}

/** Finds a link for the hosted page, which proves its access with a token. */
export function findReviewLink(db: Db, id: string): Promise<FoundReviewLink | undefined> {
  return db
    .selectFrom('review_links')
    .selectAll()
    .select(sql<boolean>`expires_at <= now()`.as('has_expired'))
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Marks the link as used, and returns when. Undefined: it was used, has expired or is gone. Another transaction with
 * the same link waits for this one.
 */
export async function useReviewLink(
  trx: Transaction,
  projectId: string,
  id: string,
): Promise<Date | undefined> {
  const used = await trx
    .updateTable('review_links')
    .set({ used_at: sql<Date>`now()` })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('used_at')
    .executeTakeFirst();
  return used?.used_at ?? undefined;
}
