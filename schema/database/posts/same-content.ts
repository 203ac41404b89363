// Finds posts with the same content.
import { sql } from 'kysely';
import { firstIdAt } from '../../wire/ids.ts';
import type { Db } from '../tables.ts';

/** How long a post counts as the same one again. */
const sameForMs = 24 * 3_600_000;

export interface Content {
  accountId: string;
  /** As stored: `\x` and hex. */
  hash: string;
}

/** The accounts that were given the same content lately, other than in a failed or canceled target. */
export async function findSameContent(
  db: Db,
  projectId: string,
  contents: Content[],
): Promise<ReadonlySet<string>> {
  const accountIds = contents.map(({ accountId }) => accountId);
  const hashes = contents.map(({ hash }) => hash);
  const since = firstIdAt('result', new Date(Date.now() - sameForMs));
  const { rows } = await sql<{ social_account_id: string }>`
    /* prepared: find_same_content */
    select account_id as social_account_id
    from unnest(${accountIds}::text[], ${hashes}::text[]) as content (account_id, hash),
      -- Not \`exists\`, for which Postgres might read all results.
      lateral (
        select from post_results
        where social_account_id = account_id and content_hash = hash::bytea and id > ${since}
          and project_id = ${projectId} and status not in ('failed', 'canceled')
        limit 1
      ) as earlier`.execute(db);
  return new Set(rows.map((row) => row.social_account_id));
}
