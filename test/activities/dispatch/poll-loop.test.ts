// The poll loop when more waits, when the clock is set back, and when polls fail.
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { startPollLoop } from '../../../activities/dispatch/poll-loop.ts';
import { createListener } from '../../../schema/database/live/listen.ts';
import { createTestDatabase } from '../../support/rows/database.ts';

const nothing = { isMore: false, waitMs: 0 };

test('the pause after a failure ends in time even if the clock is set back', async () => {
  const database = await createTestDatabase();
  const listener = createListener(database.url);
  let polls = 0;
  const running = startPollLoop({
    listener,
    channel: 'fanfare_outbox',
    log: pino({ level: 'silent' }),
    poll: () => Promise.resolve(polls++ === 0 ? 'unavailable' : nothing),
  });
  await expect.poll(() => polls).toBe(1);
  const now = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
  await vi.waitUntil(() => polls > 1, 5_000).finally(() => clock.mockRestore());
  await running.stop();
  await listener.close();
  await database.drop();
});

test('polls that fail in a row log one warning, and the next successful poll logs one line', async () => {
  await using database = await createTestDatabase();
  const listener = createListener(database.url);
  const lines: unknown[] = [];
  let polls = 0;
  const running = startPollLoop({
    listener,
    channel: 'fanfare_outbox',
    log: pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) }),
    poll: () =>
      polls++ < 2 ? Promise.reject(new Error('no connection')) : Promise.resolve(nothing),
  });
  await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(2);
  expect(lines).toMatchObject([
    { level: 40, msg: 'a poll failed', err: { message: 'no connection' } },
    { level: 30, msg: 'polls succeed again', channel: 'fanfare_outbox' },
  ]);
  expect(polls).toBeGreaterThan(2);
  await running.stop();
  await listener.close();
});

test('polls again without a notification while more may wait', async () => {
  await using database = await createTestDatabase();
  const listener = createListener(database.url);
  let polls = 0;
  const running = startPollLoop({
    listener,
    channel: 'fanfare_outbox',
    log: pino({ level: 'silent' }),
    poll: () => Promise.resolve({ isMore: ++polls < 100, waitMs: 0 }),
  });
  // The listener alone would need 100 s.
  await expect.poll(() => polls, { timeout: 10_000 }).toBeGreaterThanOrEqual(100);
  await running.stop();
  await listener.close();
});
