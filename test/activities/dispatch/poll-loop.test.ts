// Rounds of work whose clock is set back while they wait.
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { startRounds } from '../../../activities/dispatch/poll-loop.ts';
import { createListener } from '../../../schema/database/live/listen.ts';
import { createTestDatabase } from '../../support/rows/database.ts';

test('the pause after a failure ends in time though the clock was set back', async () => {
  const database = await createTestDatabase();
  const listener = createListener(database.url);
  let rounds = 0;
  const running = startRounds({
    listener,
    channel: 'fanfare_outbox',
    log: pino({ level: 'silent' }),
    round: () => Promise.resolve(rounds++ === 0 ? 'away' : 0),
  });
  await expect.poll(() => rounds).toBe(1);
  const now = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
  await vi.waitUntil(() => rounds > 1, 5_000).finally(() => clock.mockRestore());
  await running.stop();
  await listener.close();
  await database.drop();
});
