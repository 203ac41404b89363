// Deletions of outbox rows, which wait a moment for others.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createOutboxDeletions } from '../../../activities/dispatch/outbox-deletions.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';
import { watchStatements } from '../../support/rows/statements.ts';

const database = useDatabase();

const listIds = async () => {
  const rows = await database.db.selectFrom('outbox').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
};

test('rows that are added within a short time share a statement', async () => {
  for (let i = 0; i < 3; i++) await addPost(database.db);
  const [first, second, kept] = (await listIds()) as [string, string, string];
  const deletions = createOutboxDeletions(database.db, pino({ level: 'silent' }));
  using statements = watchStatements();
  deletions.add([first]);
  deletions.add([]);
  deletions.add([second]);
  await deletions.settled();
  expect(statements.sent.map(({ name }) => name)).toEqual(['delete_outbox']);
  expect(await listIds()).toEqual([kept]);
});

test('rows that are added during a deletion are deleted too, before it has settled', async () => {
  for (let i = 0; i < 2; i++) await addPost(database.db);
  const [first, second] = (await listIds()).slice(-2) as [string, string];
  const deletions = createOutboxDeletions(database.db, pino({ level: 'silent' }));
  using statements = watchStatements();
  deletions.add([first]);
  await expect.poll(() => statements.sent.length, { interval: 1 }).toBe(1);
  deletions.add([second]);
  await deletions.settled();
  expect(statements.sent.map(({ isAnswered }) => isAnswered)).toEqual([true, true]);
});

test('a failed deletion is logged, and leaves the rows', async () => {
  await addPost(database.db);
  const before = await listIds();
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const lost = connectDatabase({
    url: 'postgres://nobody@127.0.0.1:1/none',
    maxConnections: 1,
    applicationName: 'test',
  });
  const failing = createOutboxDeletions(lost.db, log);
  failing.add(before);
  await failing.settled();
  await lost.close();
  expect(lines.join('')).toContain('outbox rows could not be deleted');
  expect(await listIds()).toEqual(before);
});
