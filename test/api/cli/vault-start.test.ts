// The commands and the vault: what needs its keys starts with the right ones only, the rest without.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { startProgram } from '../../support/app/program.ts';
import { addProject, addWebhook } from '../../support/rows/rows.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function run(command: string[], env: Record<string, string> = {}) {
  await using program = startProgram({ command, env: { DATABASE_URL: database.url, ...env } });
  const { code } = await program.exit;
  return { code, output: program.output() };
}

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

test('the commands that open nothing run without FANFARE_VAULT_KEYS', async () => {
  const commands = { migrate: 'Nothing to migrate.', 'projects create --name x': 'shown only now' };
  const runs = await Promise.all(Object.keys(commands).map((command) => run(command.split(' '))));
  expect(runs).toEqual(
    Object.values(commands).map((output) => ({ code: 0, output: expect.stringContaining(output) })),
  );
}, 60_000);

test('a start without FANFARE_VAULT_KEYS names the variable', async () => {
  const refused = await run(['worker'], { TEMPORAL_ADDRESS: '127.0.0.1:9' });
  expect(refused).toEqual({ code: 1, output: expect.stringContaining('FANFARE_VAULT_KEYS: ') });
}, 60_000);

test('a start ends at a key that it lacks, and at another key of the same id', async () => {
  await addWebhook(database.db, await addProject(database.db));
  const env = { TEMPORAL_ADDRESS: '127.0.0.1:9', FANFARE_PORT: '0' };
  const wrong = keyOf('k');
  const [lacking, refused] = await Promise.all([
    run(['worker'], { ...env, FANFARE_VAULT_KEYS: keyOf('k2') }),
    run(['api'], { ...env, FANFARE_VAULT_KEYS: wrong }),
  ]);
  expect(lacking.code).toBe(1);
  expect(lacking.output).toContain('The vault has no key "k", which seals 1 row.');
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(
    '"k" in the vault is not the "k" of the database, which seals 1 row.',
  );
  expect(refused.output).not.toContain(wrong.slice(2));
}, 60_000);
