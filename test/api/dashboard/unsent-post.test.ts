// The new post that the dashboard keeps while other pages are open.
import { expect, test } from 'vitest';
import { createUnsentPost } from '../../../api/dashboard/app/compose/unsent-post.ts';
import type { UploadStore } from '../../../api/dashboard/app/media/medium.ts';

/** Nothing is uploaded. */
const openUploads = () => ({ close() {} }) as UploadStore;

test('keeps what was written, until it starts anew', () => {
  const unsent = createUnsentPost(openUploads);
  unsent.keep({ ...unsent.open(undefined), caption: 'Hello' });
  expect(unsent.open(undefined).caption).toBe('Hello');
  unsent.startAnew();
  expect(unsent.open(undefined).caption).toBe('');
});

test('takes the time of an address once, so that a changed one stays', () => {
  const unsent = createUnsentPost(openUploads);
  const draft = unsent.open('2030-01-01T09:00');
  expect(draft.when).toMatchObject({ kind: 'time', local: '2030-01-01T09:00' });
  unsent.keep({ ...draft, when: { kind: 'draft' } });
  expect(unsent.open('2030-01-01T09:00').when).toEqual({ kind: 'draft' });
  expect(unsent.open('2030-01-02T09:00').when).toMatchObject({ local: '2030-01-02T09:00' });
});

test('takes the same time again once it starts anew', () => {
  const unsent = createUnsentPost(openUploads);
  unsent.open('2030-01-01T09:00');
  unsent.startAnew();
  expect(unsent.open('2030-01-01T09:00').when).toMatchObject({ local: '2030-01-01T09:00' });
});

test('has another key for the same content once it starts anew', () => {
  const unsent = createUnsentPost(openUploads);
  const key = unsent.keyOf('one');
  unsent.startAnew();
  expect(unsent.keyOf('one')).not.toBe(key);
});

test('has one key for the same content, also after a visit to another page', () => {
  const unsent = createUnsentPost(openUploads);
  const key = unsent.keyOf('one');
  expect(unsent.keyOf('one')).toBe(key);
  expect(unsent.keyOf('two')).not.toBe(key);
});
