// `listen` in a process of its own, as a developer runs it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startProgram, type Program, type ProgramOptions } from '../app/program.ts';

export interface ListenTarget {
  url: string;
  key: string;
}

/** Resolves once it says that it listens. */
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

/** What it prints to a terminal up to the pattern's match. */
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
