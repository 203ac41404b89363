// Frees bytes that have a buffer of their own, and leaves the others alone.
import { expect, test } from 'vitest';
import { free } from '../../../activities/media/free.ts';

test('bytes with a buffer of their own are freed', () => {
  const bytes = new Uint8Array(65_536);
  free(bytes);
  expect(bytes.buffer.byteLength).toBe(0);
  expect(bytes.byteLength).toBe(0);
});

test('bytes of a shared buffer stay', () => {
  const buffer = Buffer.alloc(65_536, 1);
  const half = buffer.subarray(0, 32_768);
  free(half);
  expect(half.byteLength).toBe(32_768);
  expect(buffer.every((byte) => byte === 1)).toBe(true);
});
