// What `verify` prints and writes, and what it does while Fanfare is away. The server is one of the test.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { InvalidArgument } from '../../../../api/cli/output/invalid-argument.ts';
import { verify, type VerifyArguments } from '../../../../api/cli/verify/verify.ts';
import { Fanfare } from '../../../../clients/typescript/src/index.ts';
import type { AccountCheck } from '../../../../schema/account-checks.ts';
import { terminalOf } from '../../../support/clients/terminal.ts';
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

const ended = { ...running, status: 'passed', ended_at: running.created_at } as const;
const report = join(directory, 'report.md');

/** Answers with these in turn. A number is the status of an error. */
async function run(answers: (AccountCheck | number)[], given: VerifyArguments = {}, id = 'sa_1') {
  const bodies: string[] = [];
  const { url } = await startHttp(async (request, response) => {
    if (request.method === 'POST') bodies.push(await text(request));
    const answer = answers.shift()!;
    if (typeof answer !== 'number') {
      response.writeHead(200).end(JSON.stringify({ data: answer }));
    } else {
      const error = { code: 'any', message: 'Not now.', is_retriable: [429, 503].includes(answer) };
      response.writeHead(answer).end(JSON.stringify({ error: { ...error, issues: [] } }));
    }
  });
  const lines: string[] = [];
  const client = new Fanfare({ url: new URL(url).origin, apiKey: 'ff_1' });
  const terminal = terminalOf({ print: (line) => lines.push(line) });
  return { ...(await verify(client, id, { report, ...given }, terminal)), lines, bodies };
}

test('verify waits while Fanfare is unavailable, and writes the report', async () => {
  const { exitCode, data } = await run([running, 503, 429, ended]);
  expect({ exitCode, data }).toEqual({ exitCode: 0, data: ended });
  expect(readFileSync(report, 'utf8')).toContain('- Result: passed\n');
});

test('verify prints no steps with --json', async () => {
  const step = { name: 'login', status: 'passed', code: null, message: null } as const;
  const steps = [{ ...step, next_action: 'none' as const, docs_url: null }];
  expect((await run([{ ...ended, steps }], { json: true })).lines).toEqual([]);
  expect((await run([{ ...ended, steps }])).lines).toEqual(['passed   login']);
});

test('verify publishes only what is asked for, and the public post if both are asked for', async () => {
  const bodyOf = async (given: VerifyArguments) => (await run([ended], given)).bodies;
  expect(await bodyOf({})).toEqual(['{}']);
  expect(await bodyOf({ publish: true })).toEqual(['{"publish":true}']);
  const both = { publish: true, 'publish-public': true };
  expect(await bodyOf(both)).toEqual(['{"publish":"public"}']);
});

test.each(['', 'ada', 'sa_1/checks', 'sa_1 sa_2'])('verify refuses the account %j', async (id) => {
  await expect(run([], {}, id)).rejects.toThrow(InvalidArgument);
});

test('verify fails if the check is gone, or never began', async () => {
  await expect(run([running, 404])).rejects.toThrow('Not now.');
  await expect(run([403])).rejects.toThrow('Not now.');
});

test('verify shows a message of a server without control characters, and escapes its Markdown', async () => {
  const message = 'No\u001B]0;owned\u0007 [a](b) `|`\r\n<img>';
  const step = { name: 'login', status: 'failed', code: 'rejected', message } as const;
  const steps = [
    { ...step, next_action: 'contact_operator' as const, docs_url: 'https://fanfare.test/docs' },
  ];
  const { exitCode, lines } = await run([{ ...ended, status: 'failed', steps }]);
  expect(exitCode).toBe(1);
  expect(lines[0]).toContain('rejected: No ]0;owned [a](b) `|` <img>\n');
  expect(readFileSync(report, 'utf8')).toContain(
    String.raw`| login | failed | rejected | No ]0;owned \[a](b) \`\|\` \<img> |`,
  );
});

test('verify sends no request if the report can not be written', async () => {
  const path = join(directory, 'no', 'report.md');
  const refused = new InvalidArgument(
    `--report ${path} can't be written: ENOENT: no such file or directory, open '${path}'`,
  );
  await expect(run([], { report: path })).rejects.toThrow(refused);
});
