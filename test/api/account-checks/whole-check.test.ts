// Checks of an account of the sandbox through the whole program: by REST, GraphQL and the command `verify`.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { AccountCheck } from '../../../schema/account-checks.ts';
import { useApp } from '../../support/app/app.ts';
import { ask } from '../../support/graphql/graphql.ts';

const app = useApp();
const cli = fileURLToPath(new URL('../../../api/cli.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'fanfare-verify-'));
afterAll(() => rmSync(directory, { recursive: true }));

const patience = { timeout: 15_000, interval: 50 };

function waitForCheck(accountId: string, checkId: string): Promise<AccountCheck> {
  return vi.waitFor(async () => {
    const { data } = (await app.api.get(`/v1/accounts/${accountId}/checks/${checkId}`)).body;
    expect(data.status).not.toBe('running');
    return data as AccountCheck;
  }, patience);
}

const listPosts = () => app.context.db.selectFrom('sandbox_posts').selectAll().execute();

interface Ended {
  code: number;
  output: string;
}

function verify(...words: string[]): Promise<Ended> {
  const args = [cli, 'verify', ...words, '--url', app.url, '--key', app.tenant.key];
  return new Promise((resolve) => {
    const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

describe('a check', () => {
  test('passes, and publishes nothing', async () => {
    const { id } = await app.tenant.connectSandbox('ada');
    const { data } = (await app.api.post(`/v1/accounts/${id}/checks`)).body;
    const check = await waitForCheck(id, data.id);
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect(check.ended_at).not.toBeNull();
    expect(await listPosts()).toEqual([]);
  });

  test('publishes a post and removes it', async () => {
    const { id } = await app.tenant.connectSandbox('bob');
    const { data } = (await app.api.post(`/v1/accounts/${id}/checks`, { publish: true })).body;
    const check = await waitForCheck(id, data.id);
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect(await listPosts()).toEqual([]);
    const usage = await app.api.get(`/v1/accounts/${id}/usage`);
    expect(usage.body.data.published).toBe(1);
  });

  test('is the same in GraphQL', async () => {
    const { id } = await app.tenant.connectSandbox('cyd');
    const { createAccountCheck: made } = await ask(
      app,
      `mutation ($id: ID!) {
        createAccountCheck(accountId: $id, input: { publish: REMOVED }) { id status account { id } }
      }`,
      { id },
    );
    expect(made).toMatchObject({ status: 'RUNNING', account: { id } });
    await waitForCheck(id, made.id);
    const { accountCheck } = await ask(
      app,
      `query ($id: ID!) {
        accountCheck(id: $id) {
          status publishes platform steps { name status code message nextAction docsUrl }
        }
      }`,
      { id: made.id },
    );
    expect(accountCheck).toMatchObject({ status: 'PASSED', publishes: true, platform: 'SANDBOX' });
    expect(accountCheck.steps.at(-1)).toEqual({
      name: 'REMOVAL',
      status: 'PASSED',
      code: null,
      message: null,
      nextAction: 'NONE',
      docsUrl: null,
    });
  });

  test('is gone once its account is erased', async () => {
    const { id } = await app.tenant.connectSandbox('dan');
    const { data } = (await app.api.post(`/v1/accounts/${id}/checks`)).body;
    await app.api.delete(`/v1/accounts/${id}?erase=true`);
    const path = `/v1/accounts/${id}/checks/${data.id}`;
    expect((await app.api.get(path)).status).toBe(404);
  });
});

describe('node api/cli.ts verify', () => {
  test('prints the steps, writes a report without the key, and exits with 0', async () => {
    const { id } = await app.tenant.connectSandbox('eve');
    const report = join(directory, 'report.md');
    const { code, output } = await verify(id, '--publish', '--report', report);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^passed {3}login$/m);
    expect(output).toMatch(/^passed {3}removal$/m);
    expect(output).toMatch(/The check chk_\w+ has passed\.\n$/);
    const written = readFileSync(report, 'utf8');
    expect(written).toMatch(/^# Check of Sandbox, \d{4}-\d\d-\d\d\n\n- Result: passed\n/);
    expect(written).toContain('| read_back | passed |  |  |');
    expect(written).not.toContain(app.tenant.key);
  });

  test('exits with 1 if the account does not pass, and says what to do', async () => {
    const { id } = await app.tenant.connectSandbox('fay');
    await app.context.db
      .updateTable('sandbox_grants')
      .set({ is_revoked: true })
      .where('handle', '=', 'fay')
      .execute();
    const { code, output } = await verify(id);
    expect(code, output).toBe(1);
    expect(output).toMatch(/^failed {3}login {11}token_revoked: /m);
    expect(output).toMatch(
      /^ {9}Next: reconnect_account\. See http.*#posting-error-token_revoked$/m,
    );
    const { data } = (await app.api.get(`/v1/accounts/${id}`)).body;
    expect(data.status).toBe('reconnect_required');
  });

  test('exits with 1 for an unknown account, and with 2 without an ID', async () => {
    const unknown = await verify('sa_01kc3v5x2m8q4r7t9w0y6z1abc');
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('No account has') });
    expect((await verify()).code).toBe(2);
  });
});
