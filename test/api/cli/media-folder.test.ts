// The folder of media: `api` and `worker` start only with the one that `migrate` has marked.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { runMigrate } from '../../../api/cli/migrate.ts';
import { startRole } from '../../../api/cli/role.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { createTestLog } from '../../support/log.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
const vaultKeys = `k:${randomBytes(32).toString('base64')}`;

const configOf = (folder: string) =>
  readConfig({
    DATABASE_URL: database.url,
    FANFARE_MEDIA_URL: pathToFileURL(folder).href,
    FANFARE_PORT: '0',
    FANFARE_WORKER_PORT: '0',
    FANFARE_VAULT_KEYS: vaultKeys,
    TEMPORAL_ADDRESS: '127.0.0.1:9',
  });

test('api and worker refuse a folder without the marker, and name the missing file', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'fanfare-media-folder-'));
  const [marked, other] = [join(parent, 'marked'), join(parent, 'other')];
  await runMigrate(configOf(marked), () => undefined);
  for (const role of ['api', 'worker'] as const) {
    const { signal } = new AbortController();
    const { log } = createTestLog();
    await expect(startRole(configOf(other), role, { log, signal }), role).rejects.toThrow(
      `The media folder ${other} is not the one that this database uses: it has no file .fanfare-store.`,
    );
  }
  await rm(parent, { recursive: true });
});
