// The vault keys: `api` and `worker` start only with the right ones; other commands need none.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { runMigrate } from '../../../api/cli/migrate.ts';
import { runOnDatabase } from '../../../api/cli/on-database.ts';
import { startRole } from '../../../api/cli/role.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { startProgram } from '../../support/app/program.ts';
import { createTestLog, type LogLine } from '../../support/log.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addProject, addWebhook } from '../../support/rows/rows.ts';

const database = useDatabase();
const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

test('commands that open no secrets run without FANFARE_VAULT_KEYS', async () => {
  const config = readConfig({ DATABASE_URL: database.url }, 'operator');
  expect((await runMigrate(config, () => undefined)).text).toBe('Nothing to migrate.');
  const given = { values: { name: 'x', test: false }, scope: '', config, note: () => undefined };
  expect((await runOnDatabase('projects create', given)).text).toContain('shown only once');
});

test('a worker exits on a missing key', async () => {
  await addWebhook(database.db, await addProject(database.db));
  await using worker = startProgram({
    command: ['worker'],
    env: {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      FANFARE_VAULT_KEYS: keyOf('k2'),
    },
  });
  expect((await worker.exit).code).toBe(1);
  const { msg } = JSON.parse(worker.output()) as LogLine;
  expect(msg).toContain('The vault has no key "k", which seals 1 row.');
}, 60_000);

test('api refuses another key with the same ID, and does not name it', async () => {
  const wrong = keyOf('k');
  const config = readConfig({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    FANFARE_PORT: '0',
    FANFARE_VAULT_KEYS: wrong,
  });
  const { signal } = new AbortController();
  const { log, lines } = createTestLog();
  const refusal = await startRole(config, 'api', { log, signal }).then(
    () => 'started',
    (error: Error) => error.message,
  );
  expect(refusal).toContain('"k" in the vault is not the "k" of the database, which seals 1 row.');
  expect(refusal + JSON.stringify(lines)).not.toContain(wrong.slice(2));
});
