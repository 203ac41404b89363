// What a start says about sandbox accounts where the sandbox is off.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../../support/app/app.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

interface Line {
  level: number;
  msg: string;
}

async function linesOfStart(env: Record<string, string>): Promise<Line[]> {
  const lines: Line[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line) as Line) });
  const app = await startApp({ env, log, database, roles: { api: true, worker: false } });
  await app.stop();
  return lines;
}

test('warns once, naming the variable, where the database has sandbox accounts', async () => {
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
