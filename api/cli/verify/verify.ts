// The command `verify` of an account: checks it, prints the steps as they end, and writes a report.
import { appendFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fanfare, Schemas } from '../../../clients/typescript/src/index.ts';
import type { Answer } from '../output/answer.ts';
import type { ClientArguments } from '../client-options.ts';
import { InvalidArgument } from '../output/invalid-argument.ts';
import { toPlain } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';
import { toReport } from './report.ts';

export interface VerifyArguments extends ClientArguments {
  publish?: boolean | undefined;
  'publish-public'?: boolean | undefined;
  report?: string | undefined;
  json?: boolean | undefined;
}

const pollEveryMs = 500;
/**
 * About a minute without an answer. A restart of Fanfare takes less time, and the check continues after it.
 */
const maxRetries = 12;

/** Throws an InvalidArgument, or a FanfareError if Fanfare doesn't check the account. */
export async function verify(
  client: Fanfare,
  accountId: string,
  given: VerifyArguments,
  { print, signal }: Terminal,
): Promise<Answer> {
  const { report, json } = given;
  const publish = given['publish-public'] ? ('public' as const) : given.publish;
  if (!/^sa_\w+$/.test(accountId)) {
    throw new InvalidArgument(
      'Name one account by its ID, as in `verify sa_…`. To check a message, give its --secret.',
    );
  }
  // Reports a path that can't be written before a post becomes public.
  if (report !== undefined) await writeReport(report, () => appendFile(report, ''));
  const asked = publish ? { publish } : {};
  let check = await client.accounts.createCheck(accountId, asked, { signal });
  const shown = new Map<string, string>();
  for (;;) {
    for (const step of check.steps) {
      if (step.status === 'pending' || shown.get(step.name) === step.status) continue;
      shown.set(step.name, step.status);
      if (!json) print(describe(step));
    }
    if (check.status !== 'running') break;
    await sleep(pollEveryMs, undefined, { signal });
    check = await client.accounts.getCheck(accountId, check.id, { signal, maxRetries });
  }
  if (report !== undefined) await writeReport(report, () => writeFile(report, toReport(check)));
  const exitCode = check.status === 'passed' ? 0 : 1;
  return { text: `The check ${check.id} has ${check.status}.`, data: check, exitCode };
}

async function writeReport(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new InvalidArgument(`--report ${path} can't be written: ${(error as Error).message}`);
  }
}

const nameWidth = 15;

/** Describes a step. After a failure, adds the next action and a link to its explanation. */
function describe({
  name,
  status,
  code,
  message,
  next_action,
  docs_url,
}: Schemas['AccountCheckStep']): string {
  const found = [code, message && toPlain(message)].filter(Boolean).join(': ');
  const line = `${status.padEnd(8)} ${name.padEnd(nameWidth)} ${found}`.trimEnd();
  return code === null ? line : `${line}\n         Next: ${next_action}. See ${docs_url}`;
}
