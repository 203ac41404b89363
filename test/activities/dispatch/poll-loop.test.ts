// The poll loop when the clock is set back.
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { startPollLoop } from '../../../activities/dispatch/poll-loop.ts';
import { createListener } from '../../../schema/database/live/listen.ts';
import { createTestDatabase } from '../../support/rows/database.ts';

test('the pause after a failure ends in time although the clock was set back', async () => {
  const database = await createTestDatabase();
  const listener = createListener(database.url);
  let polls = 0;
  const running = startPollLoop({
    listener,
    channel: 'fanfare_outbox',
    log: pino({ level: 'silent' }),
    poll: () => Promise.resolve(polls++ === 0 ? 'unavailable' : 0),
  });
  await expect.poll(() => polls).toBe(1);
  const now = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
  await vi.waitUntil(() => polls > 1, 5_000).finally(() => clock.mockRestore());
  await running.stop();
  await listener.close();
  await database.drop();
});
