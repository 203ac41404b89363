// The first start as a newcomer sees it: the printed commands work as printed, and a second start keeps all.
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createDataDirectory, removeDataDirectory, startProgram } from '../support/program.ts';

/** As typed into a terminal. */
async function runInShell(command: string) {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: 30_000 });
  return JSON.parse(stdout);
}

const hasCurl = await promisify(execFile)('curl', ['--version']).then(
  () => true,
  () => false,
);

describe('the first start', () => {
  test.skipIf(!hasCurl)(
    'ends with commands that work as printed',
    async () => {
      await using program = startProgram();
      await program.waitForReady();
      await program.waitForOutput(/# 3\. .*\n.*\n/);
      const commands = program.output().match(/^curl .*$/gm) ?? [];
      expect(commands).toHaveLength(3);
      const [addWebhook, publish, showInbox] = commands as [string, string, string];

      const webhook = await runInShell(addWebhook);
      expect(webhook.data).toMatchObject({ status: 'active', secret: expect.any(String) });

      const accepted = await runInShell(publish);
      expect(accepted.data).toMatchObject({ status: 'pending' });
      expect(accepted.data.results).toHaveLength(2);

      await expect
        .poll(async () => JSON.stringify(await runInShell(showInbox)), { timeout: 20_000 })
        .toContain('post.partial');
      const inbox = JSON.stringify(await runInShell(showInbox));
      expect(inbox).toContain(accepted.data.id);
    },
    120_000,
  );

  test('keeps its key, its project and its accounts over restarts, and ends on Ctrl-C', async () => {
    const dataDirectory = createDataDirectory();
    try {
      const first = startProgram({ dataDirectory });
      const api = await first.waitForReady();
      const path = join(dataDirectory, 'api-key');
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const project = (await api.get('/v1/project')).body.data.id;
      const accounts = (await api.get('/v1/accounts')).body.data;
      expect(accounts.map((account: { account_name: string }) => account.account_name)).toEqual(
        expect.arrayContaining(['ada', 'bob']),
      );
      const key = readFileSync(path, 'utf8');
      expect(await first.interrupt()).toEqual({ code: 0, signal: null });

      const second = startProgram({ dataDirectory });
      await using _ = second;
      const again = await second.waitForReady();
      expect(readFileSync(path, 'utf8')).toBe(key);
      expect((await again.get('/v1/project')).body.data.id).toBe(project);
      expect((await again.get('/v1/accounts')).body.data).toHaveLength(accounts.length);
    } finally {
      await removeDataDirectory(dataDirectory);
    }
  }, 120_000);

  test('takes a key that the operator has chosen', async () => {
    const key = 'a-key-of-my-own-choosing';
    await using program = startProgram({ env: { FANFARE_API_KEY: key } });
    const api = await program.waitForReady();
    expect(api.key).toBe(key);
    expect((await api.get('/v1/project')).status).toBe(200);
  }, 120_000);

  test('refuses a wrong configuration with every fault at once', async () => {
    await using program = startProgram({
      env: { FANFARE_PORT: 'ninety', FANFARE_LOG_LEVEL: 'loud', FANFARE_PROT: '4000' },
    });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    for (const name of ['FANFARE_PORT', 'FANFARE_LOG_LEVEL', 'FANFARE_PROT']) {
      expect(program.output()).toContain(`${name}:`);
    }
  });
});
