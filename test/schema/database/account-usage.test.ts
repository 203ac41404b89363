// The usage of an account: counted and given back once, whoever else counts and gives back meanwhile.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addUsage,
  giveBackUsage,
  listUsage,
  monthOf,
  moveUsage,
} from '../../../schema/database/accounts/usage.ts';
import { setProject } from '../../../schema/database/projects.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addCountedResults, type CountedResults } from '../../support/rows/counted-results.ts';

const november = '2026-11';
const december = '2026-12';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const addResults = (accounts: number, resultsOfEach: number, month: string | null = november) =>
  addCountedResults(database.db, { accounts, resultsOfEach, month });

function move(resultIds: string[], month: string | null) {
  const moves = resultIds.map((resultId) => ({ resultId, month }));
  return database.db.transaction().execute((trx) => moveUsage(trx, moves));
}

function giveBack(resultIds: string[]) {
  return database.db.transaction().execute((trx) => giveBackUsage(trx, resultIds));
}

/** What each account has counted in the months, and what its results say. */
async function countsOf({ accountIds }: CountedResults, month: string) {
  const results = await database.db
    .selectFrom('post_results')
    .select('social_account_id')
    .where('social_account_id', 'in', accountIds)
    .where('usage_month', '=', month)
    .execute();
  return Promise.all(
    accountIds.map(async (id) => ({
      published: (await listUsage(database.db, [id], month))[0]?.published ?? 0,
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

describe('addUsage', () => {
  test('counts an account as often as it is named, and tells the project its limit', async () => {
    const { projectId, accountIds } = await addResults(2, 1);
    const [first, second] = accountIds as [string, string];
    await setProject(database.db, projectId, { monthly_posts_per_account: 7 });
    const usages = await database.db
      .transaction()
      .execute((trx) => addUsage(trx, projectId, [second, first, second], november));
    expect(usages).toMatchObject([
      { social_account_id: first, month: november, published: 2, project_limit: 7 },
      { social_account_id: second, month: november, published: 3, project_limit: 7 },
    ]);
  });

  test('loses no count and meets no deadlock when many count the same accounts', async () => {
    const rows = await addResults(4, 0);
    const { projectId, accountIds } = rows;
    const orders = [accountIds, accountIds.toReversed()];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        database.db
          .transaction()
          .execute((trx) => addUsage(trx, projectId, orders[i % 2]!, november)),
      ),
    );
    const counts = await countsOf(rows, november);
    expect(counts.map(({ published }) => published)).toEqual([40, 40, 40, 40]);
  });
});

describe('giveBackUsage', () => {
  test('gives back what was counted, and once', async () => {
    const rows = await addResults(2, 3);
    await giveBack(rows.resultIds.slice(0, 4));
    await giveBack(rows.resultIds.slice(0, 4));
    expect(await countsOf(rows, november)).toEqual([both(0), both(2)]);
  });

  test('gives back once what many give back at the same time', async () => {
    const rows = await addResults(2, 10);
    const { resultIds } = rows;
    await Promise.all([
      ...resultIds.slice(0, 15).map((id) => giveBack([id])),
      ...Array.from({ length: 5 }, (_, i) =>
        giveBack(i % 2 ? resultIds.slice(0, 15) : resultIds.slice(0, 15).toReversed()),
      ),
    ]);
    expect(await countsOf(rows, november)).toEqual([both(0), both(5)]);
  });

  test('waits in no circle for others that count and give back the same accounts', async () => {
    const rows = await addResults(8, 30);
    const { projectId, accountIds } = rows;
    const ofEach = Array.from({ length: 30 }, (_, i) =>
      accountIds.map((_, account) => rows.resultIds[account * 30 + i]!),
    );
    await Promise.all(
      ofEach.flatMap((ids) => [
        giveBack(ids.toReversed()),
        database.db
          .transaction()
          .execute((trx) => addUsage(trx, projectId, accountIds.toReversed(), november)),
      ]),
    );
    const counts = await countsOf(rows, november);
    expect(counts).toEqual(accountIds.map(() => ({ published: 30, results: 0 })));
  });

  test('is undone with its transaction', async () => {
    const rows = await addResults(1, 2);
    await database.db
      .transaction()
      .execute(async (trx) => {
        await giveBackUsage(trx, rows.resultIds);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await countsOf(rows, november)).toEqual([both(2)]);
  });

  test('leaves alone what was never counted', async () => {
    const rows = await addResults(1, 2, null);
    await giveBack(rows.resultIds);
    await giveBack([]);
    expect(await listUsage(database.db, [rows.accountIds[0]!], november)).toEqual([]);
  });
});

describe('moveUsage', () => {
  test('counts a result in its new month alone, and returns what was added to', async () => {
    const rows = await addResults(1, 3);
    const added = await move(rows.resultIds.slice(0, 2), december);
    expect(added).toMatchObject([
      { month: december, published: 2, warned_at: null, project_limit: null },
    ]);
    expect(await countsOf(rows, november)).toEqual([both(1)]);
    expect(await countsOf(rows, december)).toEqual([both(2)]);
  });

  test('changes nothing for a result that the month counts already', async () => {
    const rows = await addResults(1, 2);
    expect(await move(rows.resultIds, november)).toEqual([]);
    expect(await countsOf(rows, november)).toEqual([both(2)]);
  });

  test('puts one result in the place of another without a change of the count', async () => {
    const rows = await addResults(1, 2);
    const [first, second] = rows.resultIds as [string, string];
    await giveBack([second]);
    const moves = [
      { resultId: first, month: null },
      { resultId: second, month: november },
    ];
    expect(await database.db.transaction().execute((trx) => moveUsage(trx, moves))).toEqual([]);
    expect(await countsOf(rows, november)).toEqual([both(1)]);
  });

  test('frees what deleted results were counted for, in the same statement', async () => {
    const rows = await addResults(2, 3);
    const [first, second] = rows.accountIds as [string, string];
    const uncounted = rows.resultIds.slice(0, 3);
    await giveBack(uncounted);
    const moves = uncounted.map((resultId) => ({ resultId, month: november }));
    const freed = rows.resultIds.slice(3).map(() => ({ accountId: second, month: november }));
    const added = await database.db.transaction().execute(async (trx) => {
      await trx.deleteFrom('post_results').where('social_account_id', '=', second).execute();
      return moveUsage(trx, moves, freed);
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
    expect(await move(rows.resultIds, november)).toEqual([]);
    expect(await listUsage(database.db, [rows.accountIds[0]!], november)).toEqual([]);
  });

  test('ends with as many counted as results say, when all move to and fro and are given back', async () => {
    const rows = await addResults(3, 4);
    const { resultIds } = rows;
    const orders = [resultIds, resultIds.toReversed()];
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        move(orders[i % 2]!, [november, december, null][i % 3]!),
      ),
    );
    for (const month of [november, december]) {
      const counts = await countsOf(rows, month);
      expect(counts).toEqual(counts.map(({ results }) => both(results)));
    }
    await giveBack(resultIds);
    for (const month of [november, december]) {
      expect(await countsOf(rows, month)).toEqual([both(0), both(0), both(0)]);
    }
  });
});
