// The terminal of a command that prints while it runs, asks, or runs until a signal.
import { createInterface } from 'node:readline/promises';

export interface Terminal {
  /** Takes the answer of the command. */
  print: (line: string) => void;
  /** Takes notes beside the answer, such as warnings. */
  note: (line: string) => void;
  /** Asks the user. Undefined: nobody can answer, because the command has no terminal. */
  ask: ((question: string) => Promise<boolean>) | undefined;
  /** Whether the answer can be redrawn and colored. */
  isScreen: boolean;
  /** Aborts with a signal to the process, or when nobody reads the answer any more. */
  signal: AbortSignal;
}

export function openTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());
  // The program that reads the answer may end early, as `head` does.
  stdout.on('error', () => stopping.abort());
  return {
    print: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    ask: stdin.isTTY && stderr.isTTY ? (question) => ask(question, signal) : undefined,
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
