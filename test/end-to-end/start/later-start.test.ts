// A later start on the same data keeps the key, the project and its accounts.
import { describe, expect, test } from 'vitest';
import { forFile } from '../../support/fixtures.ts';
import { createApi } from '../../support/app/api.ts';
import { createUsedDirectory, readProject, startWithNpm } from '../../support/app/later-start.ts';
import { findServer } from '../../support/app/program.ts';

const used = forFile(createUsedDirectory);

describe('a later start', () => {
  test('keeps the key, the project and its accounts, and ends in order when npm gets a signal', async () => {
    const storedKey = used.readStoredKey();
    const npm = startWithNpm(used.path);
    try {
      const api = createApi(await npm.waitForUrl(), storedKey.trim());
      expect(await readProject(api)).toEqual(used.project);
      expect((await api.get('/v1/project')).status).toBe(200);
      expect(used.readStoredKey()).toBe(storedKey);
    } finally {
      process.kill(npm.pid, 'SIGTERM');
    }
    expect(await npm.exit).toEqual([0, null]);
    expect(npm.output()).toContain('Stopping.');
    expect(findServer(used.path, 'postgres')).toBeUndefined();
    expect(findServer(used.path, 'temporal')).toBeUndefined();
  }, 60_000);
});
