// Writes in groups, and groups that fail.
import { expect, test } from 'vitest';
import { createGroupedWrite } from '../../activities/grouped-write.ts';

const errorWithCode = (code: string) => Object.assign(new Error(code), { code });

/** Writes numbers as their doubles. `fail`: returns an error for some groups. */
function createWrites(fail: (items: number[]) => Error | undefined, maxItems = 10) {
  const groups: number[][] = [];
  const write = createGroupedWrite(
    (items: number[]) => {
      groups.push(items);
      const error = fail(items);
      return error ? Promise.reject(error) : Promise.resolve(items.map((item) => item * 2));
    },
    { maxItems },
  );
  return { write, groups };
}

test('items that arrive together are one group, and each gets its own result', async () => {
  const { write, groups } = createWrites(() => undefined);
  expect(await Promise.all([1, 2, 3].map(write))).toEqual([2, 4, 6]);
  expect(groups).toEqual([[1, 2, 3]]);
});

test('a group has at most the given number of items', async () => {
  const { write, groups } = createWrites(() => undefined, 2);
  await Promise.all([1, 2, 3].map(write));
  expect(groups).toEqual([[1, 2], [3]]);
});

test('owners take turns, so many items of one delay those of no other', async () => {
  const groups: string[][] = [];
  const write = createGroupedWrite(
    (items: string[]) => {
      groups.push(items);
      return Promise.resolve(items);
    },
    { maxItems: 3, ownerOf: (item) => item[0]! },
  );
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(write));
  expect(groups).toEqual([['a1', 'b1', 'c1'], ['a2', 'b2', 'a3'], ['a4']]);
});

test('an item that Postgres refuses fails alone', async () => {
  const { write, groups } = createWrites((items) =>
    items.includes(2) ? errorWithCode('22P05') : undefined,
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(write));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(groups).toEqual([[1, 2, 3], [1], [2], [3]]);
});

test('a deadlock repeats the group', async () => {
  let deadlocks = 2;
  const { write, groups } = createWrites(() =>
    deadlocks-- > 0 ? errorWithCode('40P01') : undefined,
  );
  expect(await Promise.all([1, 2].map(write))).toEqual([2, 4]);
  expect(groups).toHaveLength(3);
});

test('a lost connection fails no item, because each is written once more', async () => {
  const { write } = createWrites((items) => (items.length > 1 ? new Error('reset') : undefined));
  expect(await Promise.all([1, 2, 3].map(write))).toEqual([2, 4, 6]);
});

test('a database that stays away fails each item after its second try', async () => {
  const { write, groups } = createWrites(() => new Error('timeout'));
  const outcomes = await Promise.allSettled([1, 2, 3].map(write));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(groups).toHaveLength(4);
});
