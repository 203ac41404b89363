// Runs a command of users at a terminal, and turns its errors into messages and exit codes.
import { createInterface } from 'node:readline/promises';
import { FanfareError } from '../../../clients/typescript/src/index.ts';
import type { ClientDefaults } from '../client-options.ts';
import { InvalidArgument } from '../invalid-argument.ts';
import { createClient, toJson, toPlain, type Terminal } from './client.ts';
import type { PostArguments } from './post.ts';
import type { PostsArguments } from './posts.ts';
import type { MessageArguments } from './webhooks.ts';

export type ClientCommand =
  'post' | 'posts' | 'accounts' | 'webhooks' | 'watch' | 'projects export' | 'verify message';

export type ClientCommandArguments = PostArguments & PostsArguments & MessageArguments;

/** `argument`: the words after the command. Returns the exit code: 1 if the command was refused. */
export async function runClientCommand(
  command: ClientCommand,
  argument: string,
  given: ClientCommandArguments,
  config: () => ClientDefaults,
): Promise<number> {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());
  const terminal = openTerminal(stopping.signal);
  try {
    return await run(command, argument, given, { config, terminal });
  } catch (error) {
    if (stopping.signal.aborted) return 1;
    if (error instanceof FanfareError) {
      terminal.note(describeError(error));
      if (given.json) terminal.print(toJson({ error: toMembers(error) }));
      return 1;
    }
    if (!(error instanceof InvalidArgument)) throw error;
    terminal.note(error.message);
    return 1;
  }
}

interface Setting {
  config: () => ClientDefaults;
  terminal: Terminal;
}

async function run(
  command: ClientCommand,
  argument: string,
  given: ClientCommandArguments,
  { config, terminal }: Setting,
): Promise<number> {
  if (command === 'verify message') {
    return (await import('./webhooks.ts')).verifyMessage(argument, given, terminal);
  }
  const client = await createClient(given, config());
  switch (command) {
    case 'post':
      return (await import('./post.ts')).post(client, argument, given, terminal);
    case 'posts':
      return (await import('./posts.ts')).showPosts(client, argument, given, terminal);
    case 'accounts':
      return (await import('./accounts.ts')).showAccounts(client, given, terminal);
    case 'webhooks':
      return (await import('./webhooks.ts')).showWebhooks(client, given, terminal);
    case 'projects export':
      return (await import('./export.ts')).exportProject(client, terminal);
    case 'watch':
      return (await import('./watch.ts')).watch(client, argument, given, terminal);
  }
}

function openTerminal(signal: AbortSignal): Terminal {
  const { stdin, stdout, stderr } = process;
  const canAsk = stdin.isTTY && stderr.isTTY;
  return {
    print: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    ask: canAsk ? (question) => ask(question, signal) : undefined,
    isScreen: stdout.isTTY,
    signal,
  };
}

/** Asks beside the answer, which may go to another program. */
async function ask(question: string, signal: AbortSignal): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test(await asking.question(`${question} [y/N] `, { signal }));
  } finally {
    asking.close();
  }
}

function describeError({ message, hint, issues, requestId }: FanfareError): string {
  const lines = issues.map(({ path, message: reason }) => `  ${path}: ${reason}`);
  const id = requestId === undefined ? [] : [`Request: ${requestId}`];
  return [`${message} ${hint ?? ''}`, ...lines, ...id]
    .map((line) => line.trimEnd())
    .map(strip)
    .join('\n');
}

/** Keeps the indentation. */
const strip = (line: string) => `${/^ */.exec(line)![0]}${toPlain(line)}`;

function toMembers({ code, message, hint, issues, status, requestId, isRetriable }: FanfareError) {
  return { code, message, hint, issues, status, request_id: requestId, is_retriable: isRetriable };
}
