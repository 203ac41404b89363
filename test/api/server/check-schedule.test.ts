// A schedule of checks that is shorter than a proxy may hold a commit.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startApp } from '../../support/app/app.ts';

const roles = { api: true, worker: false };

async function listWarnings(delays: string): Promise<object[]> {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const env = { FANFARE_RECONCILE_DELAYS_MS: delays };
  await using _app = await startApp({ roles, log, env, temporalAddress: '127.0.0.1:1' });
  return lines
    .map((line) => JSON.parse(line) as { msg: string })
    .filter(({ msg }) => msg.startsWith('FANFARE_RECONCILE_DELAYS_MS'));
}

test('a start warns once of checks that last less than 60 s in all', async () => {
  expect(await listWarnings('0,5000,54999')).toEqual([
    expect.objectContaining({ component: 'process', checks_ms: 59_999 }),
  ]);
  expect(await listWarnings('0,5000,55000')).toEqual([]);
});
