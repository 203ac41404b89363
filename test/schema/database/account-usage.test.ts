// The usage of an account: counted and subtracted exactly once, also by concurrent transactions.
import { describe, expect, test } from 'vitest';
import {
  giveBackUsage,
  listUsage,
  monthOf,
  moveUsage,
} from '../../../schema/database/accounts/usage.ts';
import { setProject } from '../../../schema/database/projects.ts';
import { useDatabase } from '../../support/rows/database.ts';
import {
  addCountedResults,
  addPostOf,
  type CountedResults,
} from '../../support/rows/counted-results.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const november = '2026-11';
const december = '2026-12';

const database = useDatabase();

const addResults = (accounts: number, resultsOfEach: number, month: string | null = november) =>
  addCountedResults(database.db, { accounts, resultsOfEach, month });

function move({ projectId }: CountedResults, resultIds: string[], month: string | null) {
  const moves = resultIds.map((resultId) => ({ resultId, month }));
  return inQuietTransaction(database.db, (trx) => moveUsage(trx, projectId, moves));
}

function giveBack({ projectId }: CountedResults, resultIds: string[]) {
  return inQuietTransaction(database.db, (trx) => giveBackUsage(trx, projectId, resultIds));
}

/** The counts of each account by month, and those that its results imply. */
async function countsOf({ projectId, accountIds }: CountedResults, month: string) {
  const results = await database.db
    .selectFrom('post_results')
    .select('social_account_id')
    .where('social_account_id', 'in', accountIds)
    .where('usage_month', '=', month)
    .execute();
  return Promise.all(
    accountIds.map(async (id) => ({
      published: (await listUsage(database.db, projectId, [id], month))[0]?.published ?? 0,
      results: results.filter((result) => result.social_account_id === id).length,
    })),
  );
}

const both = (count: number) => ({ published: count, results: count });

describe('monthOf', () => {
  test('is the month in UTC', () => {
    expect(monthOf(new Date('2026-12-31T23:59:59.999-00:00'))).toBe('2026-12');
    expect(monthOf(new Date('2026-12-31T23:59:59.999-01:00'))).toBe('2027-01');
  });
});

describe('insertPost', () => {
  test('counts an account as often as it is a target, and returns the limit of the project', async () => {
    const { projectId, accountIds } = await addResults(2, 1);
    const [first, second] = accountIds as [string, string];
    await setProject(database.db, projectId, { monthly_posts_per_account: 7 });
    const { usages } = await addPostOf(database.db, projectId, [second, first, second], november);
    expect(usages).toMatchObject([
      { social_account_id: first, month: november, published: 2, project_limit: 7 },
      { social_account_id: second, month: november, published: 3, project_limit: 7 },
    ]);
  });

  test('loses no count and causes no deadlock when many transactions count the same accounts', async () => {
    const rows = await addResults(4, 0);
    const { projectId, accountIds } = rows;
    const orders = [accountIds, accountIds.toReversed()];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        addPostOf(database.db, projectId, orders[i % 2]!, november),
      ),
    );
    expect(await countsOf(rows, november)).toEqual(accountIds.map(() => both(40)));
  });
});

describe('giveBackUsage', () => {
  test('subtracts a counted result once', async () => {
    const rows = await addResults(2, 3);
    await giveBack(rows, rows.resultIds.slice(0, 4));
    await giveBack(rows, rows.resultIds.slice(0, 4));
    expect(await countsOf(rows, november)).toEqual([both(0), both(2)]);
  });

  test('subtracts a result once when many transactions do so at the same time', async () => {
    const rows = await addResults(2, 10);
    const { resultIds } = rows;
    await Promise.all([
      ...resultIds.slice(0, 15).map((id) => giveBack(rows, [id])),
      ...Array.from({ length: 5 }, (_, i) =>
        giveBack(rows, i % 2 ? resultIds.slice(0, 15) : resultIds.slice(0, 15).toReversed()),
      ),
    ]);
    expect(await countsOf(rows, november)).toEqual([both(0), both(5)]);
  });

  test('causes no deadlock with transactions that count the same accounts', async () => {
    const rows = await addResults(8, 30);
    const { projectId, accountIds } = rows;
    const ofEach = Array.from({ length: 30 }, (_, i) =>
      accountIds.map((_, account) => rows.resultIds[account * 30 + i]!),
    );
    await Promise.all(
      ofEach.flatMap((ids) => [
        giveBack(rows, ids.toReversed()),
        addPostOf(database.db, projectId, accountIds.toReversed(), november),
      ]),
    );
    expect(await countsOf(rows, november)).toEqual(accountIds.map(() => both(30)));
  });

  test('is undone with its transaction', async () => {
    const rows = await addResults(1, 2);
    await inQuietTransaction(database.db, async (trx) => {
      await giveBackUsage(trx, rows.projectId, rows.resultIds);
      throw new Error('rolled back');
    }).catch(() => undefined);
    expect(await countsOf(rows, november)).toEqual([both(2)]);
  });

  test('ignores results that were never counted', async () => {
    const rows = await addResults(1, 2, null);
    await giveBack(rows, rows.resultIds);
    await giveBack(rows, []);
    expect(await listUsage(database.db, rows.projectId, [rows.accountIds[0]!], november)).toEqual(
      [],
    );
  });
});

describe('moveUsage', () => {
  test('counts a result only in its new month, and returns the usage that increased', async () => {
    const rows = await addResults(1, 3);
    const added = await move(rows, rows.resultIds.slice(0, 2), december);
    expect(added).toMatchObject([
      { month: december, published: 2, warned_at: null, project_limit: null },
    ]);
    expect(await countsOf(rows, november)).toEqual([both(1)]);
    expect(await countsOf(rows, december)).toEqual([both(2)]);
  });

  test('changes nothing for a result that already counts in the month', async () => {
    const rows = await addResults(1, 2);
    expect(await move(rows, rows.resultIds, november)).toEqual([]);
    expect(await countsOf(rows, november)).toEqual([both(2)]);
  });

  test('replaces one result by another without changing the count', async () => {
    const rows = await addResults(1, 2);
    const [first, second] = rows.resultIds as [string, string];
    await giveBack(rows, [second]);
    const moves = [
      { resultId: first, month: null },
      { resultId: second, month: november },
    ];
    expect(
      await inQuietTransaction(database.db, (trx) => moveUsage(trx, rows.projectId, moves)),
    ).toEqual([]);
    expect(await countsOf(rows, november)).toEqual([both(1)]);
  });

  test('subtracts deleted results in the same statement', async () => {
    const rows = await addResults(2, 3);
    const [first, second] = rows.accountIds as [string, string];
    const uncounted = rows.resultIds.slice(0, 3);
    await giveBack(rows, uncounted);
    const moves = uncounted.map((resultId) => ({ resultId, month: november }));
    const freed = rows.resultIds.slice(3).map(() => ({ accountId: second, month: november }));
    const added = await inQuietTransaction(database.db, async (trx) => {
      await trx.deleteFrom('post_results').where('social_account_id', '=', second).execute();
      return moveUsage(trx, rows.projectId, moves, freed);
    });
    expect(added).toMatchObject([{ social_account_id: first, published: 3 }]);
    expect(await countsOf(rows, november)).toEqual([both(3), both(0)]);
  });

  test('never counts a comment', async () => {
    const rows = await addResults(1, 1, null);
    await database.db
      .updateTable('post_results')
      .set({ kind: 'comment' })
      .where('id', 'in', rows.resultIds)
      .execute();
    expect(await move(rows, rows.resultIds, november)).toEqual([]);
    expect(await listUsage(database.db, rows.projectId, [rows.accountIds[0]!], november)).toEqual(
      [],
    );
  });

  test('ends with the counts that the results imply, after concurrent moves and subtractions', async () => {
    const rows = await addResults(3, 4);
    const { resultIds } = rows;
    const orders = [resultIds, resultIds.toReversed()];
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        move(rows, orders[i % 2]!, [november, december, null][i % 3]!),
      ),
    );
    for (const month of [november, december]) {
      const counts = await countsOf(rows, month);
      expect(counts).toEqual(counts.map(({ results }) => both(results)));
    }
    await giveBack(rows, resultIds);
    for (const month of [november, december]) {
      expect(await countsOf(rows, month)).toEqual([both(0), both(0), both(0)]);
    }
  });
});
