// Places that projects share: floods by some projects leave places for others.
import { expect, test } from 'vitest';
import { createFairPlaces } from '../../activities/fair-places.ts';

/** Starts work that ends when `end` is called with its key. */
function useWork(count: number) {
  const inPlace = createFairPlaces(count);
  const running: { key: string; resolve: () => void }[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const start = (key: string, signal?: AbortSignal): Promise<void> =>
    inPlace(key, () => new Promise((resolve) => running.push({ key, resolve })), signal);
  return {
    start,
    flood(key: string): void {
      for (let i = 0; i < 50; i++) void start(key);
    },
    end(key: string) {
      const at = running.findIndex((each) => each.key === key);
      running.splice(at, 1)[0]!.resolve();
    },
    async countsOf(...keys: string[]): Promise<number[]> {
      await settle();
      return keys.map((key) => running.filter((each) => each.key === key).length);
    },
  };
}

test.each([2, 3, 8, 16])(
  'a flood leaves at least one of %i places free for another key',
  async (count) => {
    const { flood, start, countsOf } = useWork(count);
    flood('a');
    expect(await countsOf('a')).toEqual([Math.ceil(count / 2)]);
    void start('b');
    expect(await countsOf('b')).toEqual([1]);
  },
);

test('floods by three keys leave one of eight places for a fourth key', async () => {
  const { flood, start, countsOf } = useWork(8);
  for (const key of ['a', 'b', 'c']) flood(key);
  void start('d');
  expect(await countsOf('a', 'b', 'c', 'd')).toEqual([4, 2, 1, 1]);
});

test('the key with the fewest places gets the next free place, however long other keys have waited', async () => {
  const { flood, start, end, countsOf } = useWork(2);
  flood('a');
  flood('b');
  void start('c');
  expect(await countsOf('a', 'b', 'c')).toEqual([1, 1, 0]);
  end('a');
  expect(await countsOf('a', 'b', 'c')).toEqual([0, 1, 1]);
  end('b');
  expect(await countsOf('a', 'b', 'c')).toEqual([1, 0, 1]);
});

test('work that ends makes room for the keys with fewer places', async () => {
  const { flood, end, countsOf } = useWork(8);
  flood('a');
  flood('b');
  expect(await countsOf('a', 'b')).toEqual([4, 2]);
  end('a');
  expect(await countsOf('a', 'b')).toEqual([3, 3]);
});

test('waiting work ends with the reason of its signal, and takes no place', async () => {
  const { start, end, countsOf } = useWork(2);
  const [first, stopping] = [start('a'), new AbortController()];
  const waiting = start('a', stopping.signal);
  stopping.abort(new Error('It took too long.'));
  await expect(waiting).rejects.toThrow('It took too long.');
  await expect(start('b', stopping.signal)).rejects.toThrow('It took too long.');
  expect(await countsOf('a', 'b')).toEqual([1, 0]);
  end('a');
  await first;
  expect(await countsOf('a', 'b')).toEqual([0, 0]);
});

test('work that fails frees its place', async () => {
  const inPlace = createFairPlaces(2);
  const fail = () => Promise.reject(new Error('No.'));
  for (let i = 0; i < 3; i++) await expect(inPlace('a', fail)).rejects.toThrow('No.');
});

test('one place alternates between keys, however much work waits for one of them', async () => {
  const inPlace = createFairPlaces(1);
  const order: string[] = [];
  const add = (name: string) => inPlace(name[0]!, async () => void order.push(name));
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(add));
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});
