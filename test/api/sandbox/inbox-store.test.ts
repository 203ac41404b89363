// The memory that the sandbox's inboxes may hold: bounded in bytes, headers and counted ids included.
import { expect, test } from 'vitest';
import {
  createInboxStore,
  maxBytes,
  type ReceivedRequest,
} from '../../../api/sandbox/inbox-store.ts';

const request = (options: Partial<ReceivedRequest> = {}): ReceivedRequest => ({
  received_at: '2026-01-01T00:00:00.000Z',
  path: '/sandbox/inbox/demo',
  headers: {},
  body: '',
  status: 200,
  ...options,
});

test('the store counts headers, so that many large headers push out the oldest requests', () => {
  const store = createInboxStore();
  const inbox = store.open('demo');
  const megabyte = 'x'.repeat(1_048_576);
  for (let i = 0; i < 50; i++) inbox.keep(request({ headers: { [`x-${i}`]: megabyte } }));
  expect(inbox.requests.length).toBeGreaterThan(5);
  expect(inbox.requests.length * megabyte.length).toBeLessThanOrEqual(maxBytes / 2);
  expect(Object.keys(inbox.requests[0]!.headers)).toEqual(['x-49']);
});

test('the store counts each of many small headers', () => {
  const inbox = createInboxStore().open('demo');
  const headers = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`h${i}`, '']));
  for (let i = 0; i < 100; i++) inbox.keep(request({ headers }));
  expect(inbox.requests.length).toBeLessThan(70);
});

test('the store counts delivery ids, so that the delivery ids of many inboxes push out the oldest inbox', () => {
  const store = createInboxStore();
  for (let i = 0; i < 30; i++) {
    const inbox = store.open(`inbox${i}`);
    for (let n = 0; n < 10_000; n++) inbox.count(longId(n));
  }
  store.open('last');
  expect(store.names().length).toBeLessThan(30);
  expect(store.find('inbox0')).toBeUndefined();
  expect(store.find('inbox29')!.count(longId(9_999))).toBe(2);
});

test('the store forgets the delivery ids that came first', () => {
  const inbox = createInboxStore().open('demo');
  for (let n = 0; n < 20_000; n++) inbox.count(longId(n));
  expect(inbox.count(longId(19_999))).toBe(2);
  expect(inbox.count(longId(0))).toBe(1);
});

const longId = (n: number) => `${n}`.padStart(128, 'd');
