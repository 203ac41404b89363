// What `verify` prints and writes, and what it does while Fanfare is away. The server is one of the test.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { InvalidArgument } from '../../../../api/cli/invalid-argument.ts';
import { verify } from '../../../../api/cli/verify/verify.ts';
import type { AccountCheck } from '../../../../schema/account-checks.ts';
import { startHttp } from '../../../support/receivers/loopback.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanfare-verify-'));
afterAll(() => rmSync(directory, { recursive: true }));

const running: AccountCheck = {
  id: 'chk_1',
  social_account_id: 'sa_1',
  platform: 'wordpress',
  status: 'running',
  publishes: false,
  steps: [],
  created_at: '2026-01-02T03:04:05.000Z',
  ended_at: null,
};

/** Answers with these in turn. A number is the status of an error. */
async function run(...given: (AccountCheck | number | { json: boolean })[]) {
  const json = given.some((each) => typeof each === 'object' && 'json' in each);
  const answers = given.filter((each) => typeof each === 'number' || 'id' in each);
  const { url } = await startHttp((_, response) => {
    const answer = answers.shift()!;
    if (typeof answer !== 'number') {
      response.writeHead(200).end(JSON.stringify({ data: answer }));
    } else response.writeHead(answer).end(JSON.stringify({ error: { message: 'Not now.' } }));
  });
  const lines: string[] = [];
  const report = join(directory, 'report.md');
  const options = {
    url: new URL(url).origin,
    key: 'ff_1',
    accountId: 'sa_1',
    publish: undefined,
    json,
  };
  const passed = await verify({ ...options, report }, (line) => lines.push(line));
  return { passed, lines, report: readFileSync(report, 'utf8') };
}

test('verify waits while Fanfare is unavailable, and writes the report', async () => {
  const ended = { ...running, status: 'passed', ended_at: running.created_at } as const;
  const { passed, report } = await run(running, 503, 429, ended);
  expect(passed).toBe(true);
  expect(report).toContain('- Result: passed\n');
});

test('verify prints only the check with --json', async () => {
  const ended = { ...running, status: 'passed', ended_at: running.created_at } as const;
  const { lines } = await run({ json: true }, running, ended);
  expect(lines.map((line) => JSON.parse(line))).toEqual([ended]);
});

test('verify fails if the check is gone, or never began', async () => {
  await expect(run(running, 404)).rejects.toThrow('Not now.');
  await expect(run(503)).rejects.toThrow('Not now.');
});

test('verify shows a message of a server without control characters, and escapes its Markdown', async () => {
  const message = 'No\u001B]0;owned\u0007 [a](b) `|`\r\n<img>';
  const step = { name: 'login', status: 'failed', code: 'rejected', message } as const;
  const { passed, lines, report } = await run({
    ...running,
    status: 'failed',
    steps: [{ ...step, next_action: 'contact_operator', docs_url: 'https://fanfare.test/docs' }],
    ended_at: running.created_at,
  });
  expect(passed).toBe(false);
  expect(lines[0]).toContain('rejected: No ]0;owned [a](b) `|` <img>\n');
  expect(report).toContain(
    String.raw`| login | failed | rejected | No ]0;owned \[a](b) \`\|\` \<img> |`,
  );
});

test('verify sends no request if the report can not be written', async () => {
  const options = {
    url: 'http://127.0.0.1:2',
    key: 'ff_1',
    accountId: 'sa_1',
    publish: undefined,
  };
  const report = join(directory, 'no', 'report.md');
  const refused = new InvalidArgument(
    `--report ${report} can't be written: ENOENT: no such file or directory, open '${report}'`,
  );
  await expect(verify({ ...options, report }, () => undefined)).rejects.toThrow(refused);
});
