// The vault keys: `api` and `worker` start only with the right ones; other commands need none.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { useDatabase } from '../../support/rows/database.ts';
import { startProgram } from '../../support/app/program.ts';
import type { LogLine } from '../../support/log.ts';
import { addProject, addWebhook } from '../../support/rows/rows.ts';

const database = useDatabase();

async function run(command: string[], env: Record<string, string> = {}) {
  await using program = startProgram({ command, env: { DATABASE_URL: database.url, ...env } });
  const { code } = await program.exit;
  return { code, output: program.output() };
}

const messageOf = ({ output }: { output: string }) => (JSON.parse(output) as LogLine).msg;

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

test('commands that open no secrets run without FANFARE_VAULT_KEYS', async () => {
  const commands = {
    migrate: 'Nothing to migrate.',
    'projects create --name x': 'shown only once',
  };
  const runs = await Promise.all(Object.keys(commands).map((command) => run(command.split(' '))));
  expect(runs).toEqual(
    Object.values(commands).map((output) => ({ code: 0, output: expect.stringContaining(output) })),
  );
}, 60_000);

test('a worker without FANFARE_VAULT_KEYS exits with the name of the variable', async () => {
  const refused = await run(['worker'], { TEMPORAL_ADDRESS: '127.0.0.1:9' });
  expect(refused).toEqual({ code: 1, output: expect.stringContaining('FANFARE_VAULT_KEYS: ') });
}, 60_000);

test('a process exits on a missing key, and on another key with the same ID', async () => {
  await addWebhook(database.db, await addProject(database.db));
  const env = { TEMPORAL_ADDRESS: '127.0.0.1:9', FANFARE_PORT: '0' };
  const wrong = keyOf('k');
  const [lacking, refused] = await Promise.all([
    run(['worker'], { ...env, FANFARE_VAULT_KEYS: keyOf('k2') }),
    run(['api'], { ...env, FANFARE_VAULT_KEYS: wrong }),
  ]);
  expect(lacking.code).toBe(1);
  expect(messageOf(lacking)).toContain('The vault has no key "k", which seals 1 row.');
  expect(refused.code).toBe(1);
  expect(messageOf(refused)).toContain(
    '"k" in the vault is not the "k" of the database, which seals 1 row.',
  );
  expect(refused.output).not.toContain(wrong.slice(2));
}, 60_000);
