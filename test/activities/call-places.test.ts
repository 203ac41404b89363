// The places of a worker for calls, which projects share.
import { describe, expect, test } from 'vitest';
import { createCallPlaces } from '../../activities/call-places.ts';

describe('createCallPlaces', () => {
  test('gives a place to a project if it holds fewer places than are still free', () => {
    const places = createCallPlaces(8);
    const takeAll = (projectId: string): number => {
      let count = 0;
      while (places.acquire(projectId)) count++;
      return count;
    };
    expect(['a', 'b', 'c', 'd', 'e'].map(takeAll)).toEqual([4, 2, 1, 1, 0]);
  });

  test('frees a place when the place is disposed', () => {
    const places = createCallPlaces(2);
    const first = places.acquire('a');
    expect(first).toBeDefined();
    const other = places.acquire('b');
    other![Symbol.dispose]();
    expect(places.acquire('a')).toBeUndefined();
    first![Symbol.dispose]();
    expect(places.acquire('a')).toBeDefined();
  });
});
