// Runs `listen` in this process, or in its own process as a developer runs it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { expect } from 'vitest';
import { listen } from '../../../api/cli/listen/listen.ts';
import { readListenOptions } from '../../../api/cli/listen/options.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { terminalOf } from '../clients/terminal.ts';
import { startProgram, type Program, type ProgramOptions } from '../app/program.ts';

export interface ListenTarget {
  url: string;
  key: string;
}

export interface Listener extends AsyncDisposable {
  /** Everything that `listen` printed so far, notes included. */
  output(): string;
  /** Without the notes. */
  readonly printed: readonly string[];
  waitForOutput(pattern: RegExp): Promise<unknown>;
  /** Rejects with the error that ended `listen`. */
  readonly ended: Promise<void>;
  /** Ends `listen` as a signal does. */
  stop(): Promise<void>;
}

/**
 * Runs `listen` in this process, because a new process takes a second to start. Resolves once it prints that
 * it listens.
 */
export async function listenHere(
  { url, key }: ListenTarget,
  ...words: string[]
): Promise<Listener> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: words,
    options: {
      'forward-to': text,
      'no-forward': { type: 'boolean' },
      events: text,
      secret: text,
      after: text,
      'cursor-file': text,
      test: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const options = await readListenOptions({ ...values, url, key }, readConfig({}));
  const lines: string[] = [];
  const printed: string[] = [];
  const say = (line: string) => void lines.push(`${line}\n`);
  const print = (line: string) => {
    printed.push(line);
    say(line);
  };
  const stopping = new AbortController();
  const terminal = terminalOf({ print, note: say, signal: stopping.signal });
  let hasEnded = false;
  const ended = listen(options, terminal).finally(() => (hasEnded = true));
  ended.catch(() => undefined);
  const output = () => lines.join('');
  const stop = () => {
    stopping.abort();
    return ended;
  };
  const waitForOutput = (pattern: RegExp) =>
    expect
      .poll(() => hasEnded || pattern.test(output()), { timeout: 20_000, interval: 10 })
      .toBe(true)
      .then(() => (hasEnded ? ended : undefined));
  await waitForOutput(/^Listening to /m);
  return { output, printed, waitForOutput, ended, stop, [Symbol.asyncDispose]: stop };
}

/** Resolves once `listen` prints that it listens. */
export async function startListening(target: ListenTarget, ...words: string[]): Promise<Program> {
  const listener = startListen(target, ...words);
  await listener.waitForOutput(/^Listening to /m);
  return listener;
}

export function startListen({ url, key }: ListenTarget, ...words: string[]): Program {
  return runListen({}, '--url', url, '--key', key, ...words);
}

export function runListen(options: ProgramOptions, ...words: string[]): Program {
  const env = { FANFARE_PORT: '4000', ...options.env };
  return startProgram({ ...options, env, command: ['listen', ...words] });
}

/** Returns what `listen` prints to a terminal up to the match of the pattern. */
export async function listenInTerminal(
  { url, key }: ListenTarget,
  env: Record<string, string>,
  untilShown: RegExp,
  onListening: () => Promise<unknown>,
): Promise<string> {
  const cli = fileURLToPath(new URL('../../../api/cli.ts', import.meta.url));
  const words = [process.execPath, cli, 'listen', '--no-forward', '--url', url, '--key', key];
  const inTerminal = 'import pty, sys; pty.spawn(sys.argv[1:])';
  const child = spawn('python3', ['-c', inTerminal, ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  let isListening = false;
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    shown += chunk as string;
    if (!isListening && shown.includes('Listening to ')) {
      isListening = true;
      await onListening();
    }
    // Ctrl-C, as a keyboard sends it.
    if (untilShown.test(shown)) child.stdin.write('\u0003');
  }
  return shown;
}
