// A process that answers its clients with the first API key is ready only once that key exists.
import { expect, inject, test } from 'vitest';
import { generateKey } from '../../../api/api-keys/key.ts';
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { findFreePort } from '../../../api/server/ports.ts';
import { startProgram } from '../../support/app/program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';

const vaultKeys = `k:${Buffer.alloc(32).toString('base64')}`;

async function start(database: TestDatabase, key: string) {
  const port = await findFreePort('127.0.0.1');
  const program = startProgram({
    command: ['api'],
    dataDirectory: createBundledDirectory(),
    env: {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_TASK_QUEUE: `ready-${port}`,
      FANFARE_PORT: String(port),
      FANFARE_VAULT_KEYS: vaultKeys,
      FANFARE_API_KEY: key,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    program,
    async ready() {
      const answer = await fetch(`${url}/readyz`).catch(() => undefined);
      return answer && { status: answer.status, body: (await answer.json()) as object };
    },
    countPosts: async () =>
      (await fetch(`${url}/v1/posts`, { headers: { Authorization: `Bearer ${key}` } })).status,
  };
}

test('api with FANFARE_API_KEY is not ready, and says why, until that key exists', async () => {
  await using database = await createTestDatabase();
  const key = generateKey('production');
  const { program, ready, countPosts } = await start(database, key);
  try {
    await program.waitForOutput(/"msg":"up"/);
    expect(await ready()).toEqual({
      status: 503,
      body: { status: 'not_ready', missing: ['api_key'] },
    });
    expect(await countPosts()).toBe(401);
    await createProjectWithKey(database.db, 'test', key);
    const until = { timeout: 20_000, interval: 100 };
    await expect.poll(ready, until).toMatchObject({ status: 200, body: { missing: [] } });
    await expect.poll(countPosts, until).toBe(200);
  } finally {
    await program.stop();
  }
}, 90_000);
