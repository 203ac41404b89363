// Finds posts with the same content.
import { sql, type RawBuilder } from 'kysely';
import { firstIdAt } from '../../wire/ids.ts';
import type { Db } from '../tables.ts';

/** How long a post counts as the same one again. */
const sameForMs = 24 * 3_600_000;

/** Lower bound of the IDs of results that count. */
export const sameSince = () => firstIdAt('result', new Date(Date.now() - sameForMs));

/**
 * SQL: the account of the row `given` was given the row's content, other than in a failed or canceled
 * target. A statement that inserts `given` doesn't see it here.
 */
export function hasSameContent(given: string, since: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${given}.${name}`);
  return sql<boolean>`exists (
    select from post_results as earlier join posts as p on p.id = earlier.post_id
    where earlier.social_account_id = ${column('social_account_id')}
      and earlier.content_hash = ${column('content_hash')} and earlier.id > ${since}
      and earlier.project_id = ${column('project_id')}
      and earlier.status not in ('failed', 'canceled') and p.status <> 'draft')`;
}

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
): Promise<ReadonlySet<string>> {
  const accountIds = contents.map(({ accountId }) => accountId);
  const hashes = contents.map(({ hash }) => hash);
  const { rows } = await sql<{ social_account_id: string }>`
    /* prepared: find_same_content */
    select social_account_id from (
      select account_id as social_account_id, hash::bytea as content_hash, ${projectId} as project_id
      from unnest(${accountIds}::text[], ${hashes}::text[]) as content (account_id, hash)
    ) given where ${hasSameContent('given', sameSince())}`.execute(db);
  return new Set(rows.map((row) => row.social_account_id));
}
