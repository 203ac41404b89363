// A later start with a key that the operator chose still accepts the stored key.
import { describe, expect, test } from 'vitest';
import { findFreePorts } from '../../api/server/ports.ts';
import { forFile } from '../support/fixtures.ts';
import { createApi } from '../support/app/api.ts';
import { createUsedDirectory, readProject, startWithNpm } from '../support/app/later-start.ts';
import { findServer } from '../support/app/program.ts';

const used = forFile(createUsedDirectory);
const key = 'a-key-of-my-own-choosing';

describe('a later start', () => {
  test('takes a key that the operator chose, and ends cleanly when npm and the program get Ctrl-C', async () => {
    const storedKey = used.readStoredKey();
    const [port] = await findFreePorts([0]);
    const npm = startWithNpm(used.path, { FANFARE_API_KEY: key, FANFARE_PORT: String(port) });
    try {
      const url = `http://127.0.0.1:${port}`;
      const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok;
      await expect.poll(isReady, { timeout: 60_000, interval: 2 }).toBe(true);
      // It is ready only once its first key works.
      expect((await createApi(url, key).get('/v1/posts')).status).toBe(200);
      await npm.waitForUrl();
      expect(await readProject(createApi(url, storedKey.trim()))).toEqual(used.project);
      expect((await createApi(url, key).get('/v1/project')).status).toBe(200);
      expect(used.readStoredKey()).toBe(storedKey);
    } finally {
      // Ctrl-C in a terminal reaches the whole group.
      process.kill(-npm.pid, 'SIGINT');
    }
    expect(await npm.exit).toEqual([0, null]);
    expect(npm.output()).toContain('Stopping.');
    expect(findServer(used.path, 'postgres')).toBeUndefined();
    expect(findServer(used.path, 'temporal')).toBeUndefined();
  }, 60_000);
});
