// The folder of media: `api` and `worker` start only with the one that `migrate` has marked.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { startProgram } from '../../support/app/program.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
const vaultKeys = `k:${randomBytes(32).toString('base64')}`;

async function run(command: string, folder: string) {
  await using program = startProgram({
    command: [command],
    env: {
      DATABASE_URL: database.url,
      FANFARE_MEDIA_URL: pathToFileURL(folder).href,
      FANFARE_VAULT_KEYS: vaultKeys,
      TEMPORAL_ADDRESS: '127.0.0.1:9',
    },
  });
  const { code } = await program.exit;
  return { code, output: program.output() };
}

test('a process with another folder than the marked one exits, and says which file is missing', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'fanfare-media-folder-'));
  const [marked, other] = [join(parent, 'marked'), join(parent, 'other')];
  expect(await run('migrate', marked)).toMatchObject({ code: 0 });
  const refused = await Promise.all([run('api', other), run('worker', other)]);
  const message = `The media folder ${other} is not the one that this database uses: it has no file .fanfare-store.`;
  const expected = { code: 1, output: expect.stringContaining(message) };
  expect(refused).toEqual([expected, expected]);
  await rm(parent, { recursive: true });
}, 60_000);
