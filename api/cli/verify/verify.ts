// The command `verify`: checks an account, prints the steps as they end, and writes a report.
import { randomUUID } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AccountCheck, type AccountCheckStep } from '../../../schema/account-checks.ts';
import { InvalidArgument } from '../invalid-argument.ts';
import type { VerifyOptions } from './options.ts';
import { toLine, toReport } from './report.ts';

const pollEveryMs = 500;
/**
 * How long to wait for an unreachable Fanfare. A restart takes less time, and the check continues after it.
 */
const awayForMs = 60_000;
const answerWithinMs = 30_000;

const Answer = z.object({ data: AccountCheck });
const Refused = z.object({
  error: z.object({ message: z.string(), hint: z.string().optional() }),
});

/** Whether the account passed. Rejects if Fanfare doesn't check it. */
export async function verify(
  options: VerifyOptions,
  print: (line: string) => void,
): Promise<boolean> {
  const { accountId, publish, report, json = false } = options;
  const path = `/v1/accounts/${accountId}/checks`;
  // Reports a path that can't be written before a post becomes public.
  if (report !== undefined) await writeReport(report, () => appendFile(report, ''));
  let check = await call(options, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ publish }),
  });
  const shown = new Map<string, string>();
  for (;;) {
    for (const step of check.steps) {
      if (step.status === 'pending' || shown.get(step.name) === step.status) continue;
      shown.set(step.name, step.status);
      if (!json) print(describe(step));
    }
    if (check.status !== 'running') break;
    await sleep(pollEveryMs);
    check = await callUntilBack(options, `${path}/${check.id}`);
  }
  print(json ? JSON.stringify(check) : `The check ${check.id} has ${check.status}.`);
  if (report !== undefined) await writeReport(report, () => writeFile(report, toReport(check)));
  return check.status === 'passed';
}

async function writeReport(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new InvalidArgument(`--report ${path} can't be written: ${(error as Error).message}`);
  }
}

/** Fanfare can't be reached, or can't answer at the moment. */
class Away extends Error {}

async function callUntilBack(options: VerifyOptions, path: string): Promise<AccountCheck> {
  const lastMs = performance.now() + awayForMs;
  for (;;) {
    try {
      return await call(options, path);
    } catch (error) {
      if (!(error instanceof Away) || performance.now() > lastMs) throw error;
    }
    await sleep(pollEveryMs);
  }
}

async function call(
  { url, key }: VerifyOptions,
  path: string,
  { headers, ...init }: RequestInit = {},
): Promise<AccountCheck> {
  const answer = await fetch(`${url}${path}`, {
    ...init,
    headers: { ...(headers as Record<string, string>), authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch((cause: unknown) => {
    throw new Away(`Fanfare can't be reached at ${url}.`, { cause });
  });
  const body: unknown = await answer.json().catch(() => undefined);
  const { data } = Answer.safeParse(body);
  if (answer.ok && data) return data.data;
  const { message = `HTTP ${answer.status}`, hint = '' } =
    Refused.safeParse(body).data?.error ?? {};
  const words = `${message} ${hint}`.trim();
  throw answer.status === 429 || answer.status >= 500 ? new Away(words) : new Error(words);
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
}: AccountCheckStep): string {
  const found = [code, message && toLine(message)].filter(Boolean).join(': ');
  const line = `${status.padEnd(8)} ${name.padEnd(nameWidth)} ${found}`.trimEnd();
  return code === null ? line : `${line}\n         Next: ${next_action}. See ${docs_url}`;
}
