// Finds posts with the same content.
import { sql, type RawBuilder } from 'kysely';
import { firstIdAt } from '../../wire/ids.ts';
import { executePrepared } from '../prepared.ts';
import type { Db } from '../tables.ts';

/** How long a post with the same content counts as a repeat. */
const sameForMs = 24 * 3_600_000;

/**
 * SQL: joins each row of `given`, which are results, to a recent result of the same account with the same
 * content that has not failed or been canceled. A draft has no hash. A statement that inserts `given` doesn't
 * find these rows. `since`: of `sameSince`.
 */
export function earlierSame(given: string, since: string): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${given}.${column}`);
  // Not `exists`, for which Postgres might read all results.
  return sql`lateral (
    select from post_results as known
    where known.social_account_id = ${of('social_account_id')}
      and known.content_hash = ${of('content_hash')} and known.id > ${since}
      and known.project_id = ${of('project_id')} and known.status not in ('failed', 'canceled')
    limit 1
  ) as earlier`;
}

/** The first ID that a recent result can have. */
export const sameSince = () => firstIdAt('result', new Date(Date.now() - sameForMs));

export interface Content {
  accountId: string;
  /** As stored: `\x` and hex. */
  hash: string;
}

/** The accounts that were given the same content lately. */
export async function findSameContent(
  db: Db,
  projectId: string,
  contents: Content[],
): Promise<string[]> {
  const accountIds = contents.map(({ accountId }) => accountId);
  const hashes = contents.map(({ hash }) => hash);
  const statement = sql<{ social_account_id: string }>`
    select given.social_account_id
    from (
      select account_id as social_account_id, hash::bytea as content_hash, ${projectId} as project_id
      from unnest(${accountIds}::text[], ${hashes}::text[]) as content (account_id, hash)
    ) as given, ${earlierSame('given', sameSince())}`;
  const rows = await executePrepared(db, 'find_same_content', statement);
  return rows.map((row) => row.social_account_id);
}
