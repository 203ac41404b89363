// A start without the sandbox warns about its accounts.
import { expect, test } from 'vitest';
import { startApp } from '../../support/app/app.ts';
import { createTestLog, type LogLine } from '../../support/log.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';

const database = useDatabase();

async function linesOfStart(env: Record<string, string>): Promise<LogLine[]> {
  const { log, lines } = createTestLog();
  const app = await startApp({ env, log, database, roles: { api: true, worker: false } });
  await app.stop();
  return lines;
}

test('a start without the sandbox warns once, with the variable, if the database has sandbox accounts', async () => {
  const off = { FANFARE_SANDBOX: 'false' };
  expect(await linesOfStart(off)).toEqual([]);
  await addPost(database.db);
  expect(await linesOfStart(off)).toEqual([
    expect.objectContaining({ level: 40, msg: expect.stringContaining('FANFARE_SANDBOX=true') }),
  ]);
  expect(await linesOfStart({ FANFARE_SANDBOX: 'true' })).toEqual([]);
  await database.db.updateTable('social_accounts').set({ status: 'disconnected' }).execute();
  expect(await linesOfStart(off)).toEqual([]);
});
