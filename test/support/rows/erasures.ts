// Erases the rest of accounts, as pruning does, and reads all rows as text.
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { createPruning, type PruneProgress } from '../../../activities/retention/prune.ts';
import type { Db } from '../../../schema/database/tables.ts';
import type { PruneRecordsInput } from '../../../schema/workflows.ts';
import { createTestLog } from '../log.ts';
import { quietNotifier } from './quiet-transaction.ts';

/** Longer than the age of any test's records. */
const never = 1e12;
const retention = { recordsMs: never, postsMs: never, feedMs: never, disconnectedMs: never };

/** The options that `pruneAccounts` passes on. */
export const erasureOptions = { retention, previewEvents: true };

interface RunOptions {
  now?: () => number;
  log?: Logger;
  input?: PruneRecordsInput;
}

/** One run of the activity. */
export async function pruneAccounts(
  db: Db,
  { now = Date.now, log = createTestLog().log, input = { after: '' } }: RunOptions = {},
): Promise<PruneProgress> {
  const dependencies = { db, notifier: quietNotifier, now, media: undefined, log };
  const { prune } = createPruning({ ...dependencies, config: erasureOptions });
  return (await new MockActivityEnvironment().run(prune, input)) as PruneProgress;
}

/** Every row of every table, as text. */
export async function dump(db: Db): Promise<string> {
  const tables = await db.introspection.getTables();
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ text: string }>`
        select coalesce(string_agg(r::text, ' '), '') as text from ${sql.table(name)} r`.execute(
        db,
      );
      return rows[0]!.text;
    }),
  );
  return texts.join('\n');
}

/** How far the erasure of the account has come. */
export function readErasure(db: Db, accountId: string) {
  return db
    .selectFrom('social_accounts')
    .select(['account_name', 'is_erased', 'erase_at'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
}
